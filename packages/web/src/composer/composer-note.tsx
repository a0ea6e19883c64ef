// A quiet line in the composer: its keys, or what happens to a message now.
import type { SocketState } from '@toolyard/sdk';
import { Kbd } from '../controls/kbd.tsx';
import { isTouch } from './keys.ts';

export interface ComposerNoteProps {
  isBusy: boolean;
  line: SocketState;
  /** The browser does not keep what is typed. */
  isUnkept: boolean;
  /** How many messages wait for the turn under way to end. */
  queued: number;
}

export function ComposerNote({ isBusy, line, isUnkept, queued }: ComposerNoteProps) {
  if (isUnkept) {
    return (
      <p role="status" className="min-w-0 flex-1 text-xs text-warn">
        Your browser has no room to keep these words: send before you reload or close this page.
      </p>
    );
  }
  if (line !== 'open') {
    return (
      <p role="status" className="min-w-0 flex-1 text-xs text-warn">
        Not connected: what you send goes out when the server is back.
      </p>
    );
  }
  if (isBusy && queued > 0) {
    return (
      <p className="min-w-0 flex-1 truncate text-xs text-soft">
        <span className="sm:hidden">
          {queued} queued {queued === 1 ? 'follows' : 'follow'}
        </span>
        <span className="max-sm:hidden">
          {queued === 1 ? '1 queued message follows' : `${queued} queued messages follow`} when you stop
        </span>
      </p>
    );
  }
  if (isTouch) return <span className="flex-1" />;
  return (
    <p className="flex min-w-0 flex-1 items-center gap-1.5 truncate text-xs text-faint max-sm:invisible">
      <Kbd keys="enter" /> {isBusy ? 'queues' : 'sends'}, <Kbd keys="shift+enter" /> breaks the line
      {isBusy && (
        <>
          , <Kbd keys="escape" /> stops
        </>
      )}
    </p>
  );
}
