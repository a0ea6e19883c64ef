// Starts the page.
import './no-eval.ts';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { openOutboxes } from './outbox/outbox.ts';
import { openLarge } from './storage/large-storage.ts';

// What Radix adds as <style> carries the nonce that the server's policy names.
const nonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content;
if (nonce) setNonce(nonce);

const root = document.getElementById('root');
void openLarge().then(() => {
  if (root) createRoot(root).render(<App />);
  openOutboxes();
});
