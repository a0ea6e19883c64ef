// The foot of the side: how the line is, which version, the theme and the keys.
import { CircleHelp, Monitor, Moon, Sun } from 'lucide-react';
import { setTheme, type Theme, useTheme } from '../browser-apis/theme.ts';
import { useClockOffset } from '../connection/clock.ts';
import { type ConnectionState, useConnectionState } from '../connection/connection-state.ts';
import { useHealth } from '../connection/health.ts';
import { IconButton } from '../controls/button.tsx';
import { Menu, MenuChoice } from '../controls/menu.tsx';
import { openDialog } from '../navigation/dialogs.ts';
import { toDuration } from '../parts/format-time.ts';

const themes = [
  { value: 'system', label: 'As the system', icon: <Monitor /> },
  { value: 'light', label: 'Light', icon: <Sun /> },
  { value: 'dark', label: 'Dark', icon: <Moon /> },
] as const satisfies readonly { value: Theme; label: string; icon: React.ReactNode }[];

const words: Record<ConnectionState['kind'], { text: string; classes: string }> = {
  open: { text: 'Connected', classes: 'bg-good' },
  connecting: { text: 'Connecting…', classes: 'bg-warn' },
  retrying: { text: 'Reconnecting…', classes: 'bg-warn' },
  loggedOut: { text: 'Logged out', classes: 'bg-bad' },
  refused: { text: 'Not connected', classes: 'bg-bad' },
};

export function SidebarFoot() {
  const { text, classes } = words[useConnectionState().kind];
  const { data: health } = useHealth();
  return (
    <footer className="border-t">
      <ClockNote />
      <div className="flex h-11 items-center gap-1 pr-2 pl-4 text-xs text-faint">
        <span className={`size-2 shrink-0 rounded-full ${classes}`} aria-hidden="true" />
        <span
          role="status"
          className="ml-1 min-w-0 flex-1 truncate"
          title={health && `Version ${health.version}`}
        >
          {text}
          {health?.rehearsing && ' · rehearsal'}
        </span>
        <IconButton label="Keys" shortcut="?" size="small" onClick={() => openDialog({ kind: 'shortcuts' })}>
          <CircleHelp className="size-4" />
        </IconButton>
        <ThemeMenu />
      </div>
    </footer>
  );
}

function ThemeMenu() {
  const theme = useTheme();
  const icon = theme === 'dark' ? <Moon className="size-4" /> : <Sun className="size-4" />;
  return (
    <Menu
      side="top"
      trigger={
        <IconButton label="Theme" size="small">
          {theme === 'system' ? <Monitor className="size-4" /> : icon}
        </IconButton>
      }
    >
      <MenuChoice label="Theme" value={theme} options={themes} onChange={setTheme} />
    </Menu>
  );
}

/** Times are shown by the server's clock; a large difference deserves a word. */
function ClockNote() {
  const offset = useClockOffset();
  if (Math.abs(offset) < 60_000) return null;
  const direction = offset > 0 ? 'behind' : 'ahead of';
  return (
    <p className="px-4 pt-2 text-xs text-warn">
      This browser’s clock is {toDuration(Math.abs(offset))} {direction} the server’s. Times here are the
      server’s.
    </p>
  );
}
