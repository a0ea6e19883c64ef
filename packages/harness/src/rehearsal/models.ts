// The models the scripted service lists. A message may name any model; these are for programs that look first.

const models = [
  { id: 'claude-opus-5', display_name: 'Claude Opus 5 (rehearsal)' },
  { id: 'claude-sonnet-5', display_name: 'Claude Sonnet 5 (rehearsal)' },
  { id: 'claude-haiku-5', display_name: 'Claude Haiku 5 (rehearsal)' },
].map((model) => ({ type: 'model', ...model, created_at: '2026-01-01T00:00:00Z' }));

export function listModels() {
  return { data: models, has_more: false, first_id: models[0]?.id, last_id: models.at(-1)?.id };
}

export function findModel(id: string) {
  return models.find((model) => model.id === id);
}
