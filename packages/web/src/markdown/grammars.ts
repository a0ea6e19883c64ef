// The languages that code is coloured in. Loaded by itself, when it is first needed.
import { common, createLowlight } from 'lowlight';

export const grammars = createLowlight(common);
export type Lowlight = typeof grammars;
