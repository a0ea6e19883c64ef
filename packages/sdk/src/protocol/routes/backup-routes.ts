// Backups of the home. Part of the one table in routes.ts.
import { z } from 'zod';
import { type AnyRoute, none } from './route.ts';

export const Backup = z.object({
  /** On the machine of the server. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  createdAt: z.iso.datetime(),
  /** Of the Toolyard that made it. */
  version: z.string(),
  /** The number of the database's schema. */
  schema: z.int().nonnegative(),
  /** How many are in it. */
  files: z.int().nonnegative(),
  /** What of the home is not in it: symbolic links and the like. */
  left: z.array(z.string()),
  /** Older backups that made room. */
  removed: z.array(z.string()),
});
export type Backup = z.infer<typeof Backup>;

export const backupRoutes = {
  createBackup: {
    method: 'POST',
    path: '/api/backup',
    summary: 'Copy the home into one file while everything goes on; answers when the file is whole',
    status: 201,
    params: none,
    query: none,
    body: z.strictObject({
      /** Absolute, of a file that does not exist (default: a new one in the home's folder `backups`). */
      path: z.string().min(1).max(4_096).optional(),
    }),
    response: Backup,
  },
} as const satisfies Record<string, AnyRoute>;
