import type { Plugin } from 'rolldown';

export const inPlace: Plugin;
