// Puts words on the clipboard. A page from an address that is not secure has no `navigator.clipboard`: there it is done
// as browsers did it before, with a selection.
import { ToolyardError } from '@toolyard/sdk';

export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  if (!copySelected(text)) throw new ToolyardError('invalid_request', 'The browser did not allow it here.');
}

function copySelected(text: string): boolean {
  const selection = getSelection();
  const before = selection && selection.rangeCount > 0 ? selection.getRangeAt(0) : undefined;
  const words = document.createElement('span');
  words.textContent = text;
  words.className = 'fixed top-0 opacity-0 whitespace-pre select-text';
  document.body.append(words);
  // The selection is what some browsers ask for; this is what they take, hidden characters and all.
  const give = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
  };
  document.addEventListener('copy', give, { capture: true, once: true });
  try {
    selection?.selectAllChildren(words);
    return document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', give, { capture: true });
    words.remove();
    selection?.removeAllRanges();
    if (before) selection?.addRange(before);
  }
}
