// Before any schema is made: the server's policy forbids code made of strings, which zod would otherwise try.
import { config } from 'zod';

config({ jitless: true });
