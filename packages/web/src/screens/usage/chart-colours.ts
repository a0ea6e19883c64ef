// Colours of groups in charts: told apart in light and dark, also by most who see few colours. A name always stands by.
const colours = [
  'light-dark(#0f766e, #2dd4bf)',
  'light-dark(#b45309, #fbbf24)',
  'light-dark(#4338ca, #a5b4fc)',
  'light-dark(#be185d, #f9a8d4)',
  'light-dark(#4d7c0f, #bef264)',
  'light-dark(#0369a1, #7dd3fc)',
  'light-dark(#7e22ce, #d8b4fe)',
] as const;

const rest = 'light-dark(#8a8a80, #8b8c83)';

/** The colour of the group at a place; past the last, the one of all others. */
export function toColour(place: number): string {
  return colours[place] ?? rest;
}
