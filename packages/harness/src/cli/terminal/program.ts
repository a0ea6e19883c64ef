// The name of this program, for messages that tell a person what to type.

/** In a clone it runs through npm, else by its name. */
export const program = import.meta.url.endsWith('.ts') ? 'npm start --' : 'toolyard';
