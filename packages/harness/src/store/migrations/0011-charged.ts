// Schema 11: what the day's budget counts for a turn of which nobody knows what it cost.
export const charged = `
ALTER TABLE usage ADD COLUMN charged_usd REAL;
`;
