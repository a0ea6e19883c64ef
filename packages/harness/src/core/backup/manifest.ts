// What a backup says of itself: who made it and when, before everything else; what is in it, after everything else.
import { z } from 'zod';

export const headName = 'toolyard-backup.json';
export const sumsName = 'checksums.json';
/** Of the two together; a file cannot make a reader hold more than this. */
export const maxManifestBytes = 256 * 1024 * 1024;
/** Raised when older versions could not read what is written. */
export const format = 1;

export const BackupHead = z.object({
  product: z.literal('Toolyard'),
  format: z.int().positive(),
  version: z.string().max(100),
  /** The number of the database's schema. */
  schema: z.int().nonnegative(),
  createdAt: z.iso.datetime(),
});
export type BackupHead = z.infer<typeof BackupHead>;

export const FileSum = z.object({
  path: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type FileSum = z.infer<typeof FileSum>;

export const BackupSums = z.object({ files: z.array(FileSum) });
