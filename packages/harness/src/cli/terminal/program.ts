// How this program is called, for sentences that tell a person what to type.

/** From a clone through npm, else by its name. */
export const program = import.meta.url.endsWith('.ts') ? 'npm start --' : 'toolyard';
