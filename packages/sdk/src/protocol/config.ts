// Every configuration key, its default and its meaning: the one schema behind config.yaml, `config get` and the docs.
import { z } from 'zod';
import { ModelName, PermissionMode, Slug } from './session.ts';

export const Config = z
  .strictObject({
    server: z
      .strictObject({
        host: z.string().default('127.0.0.1').describe('Address to listen on'),
        port: z.int().min(0).max(65535).default(4242).describe('Port to listen on; 0 picks a free one'),
      })
      .prefault({}),
    defaults: z
      .strictObject({
        role: Slug.default('assistant').describe('Role of a session that names none'),
        engine: Slug.default('auto').describe('Engine of a session that names none; auto picks one'),
        model: ModelName.default('anthropic/claude-sonnet-5').describe('Model, as provider/model'),
        mode: PermissionMode.default('default').describe('Permission mode of a session that names none'),
      })
      .prefault({}),
    limits: z
      .strictObject({
        maxSteps: z.int().min(1).max(1000).default(50).describe('Model steps in one turn'),
      })
      .prefault({}),
  })
  .prefault({});
export type Config = z.infer<typeof Config>;
