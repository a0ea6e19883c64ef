// How grave each risk looks.
import type { Risk } from '@toolyard/sdk';
import type { Tone } from '../parts/badge.tsx';

export const riskTones: Record<Risk, Tone> = { low: 'good', medium: 'warn', high: 'bad' };
