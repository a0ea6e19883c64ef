import { expect, it } from 'vitest';
import { isPromptOf, isPromptOfToolyard, newPromptId } from '../../../../src/engines/claude/lib/prompt-id.ts';

it('ids of prompts are UUIDs, each once, and known by their session alone', () => {
  const [one, other] = ['ses_0000000000000000000001', 'ses_0000000000000000000002'];
  const ids = Array.from({ length: 1_000 }, () => newPromptId(one));
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(ids.filter((id) => !uuid.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => isPromptOf(one, id) && isPromptOfToolyard(id))).toBe(true);
  expect(ids.some((id) => isPromptOf(other, id))).toBe(false);
  const foreign = '8e1fda0a-21d9-44ce-bab9-a3efdb8d44f4';
  expect([isPromptOf(one, foreign), isPromptOfToolyard(foreign), isPromptOf(one, '')]).toEqual([
    false,
    false,
    false,
  ]);
});
