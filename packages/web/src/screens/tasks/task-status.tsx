// Whether a task is open, as a word.
import type { TaskStatus } from '@toolyard/sdk';
import { Badge } from '../../parts/badge.tsx';

export function TaskStatusBadge({ status }: { status: TaskStatus }) {
  return <Badge tone={status === 'open' ? 'good' : 'neutral'}>{status}</Badge>;
}
