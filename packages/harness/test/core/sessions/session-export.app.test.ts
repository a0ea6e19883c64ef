// A session as a file: Markdown that a person reads, JSON with every event, both while it is read.
import { parseEvent } from '@toolyard/sdk';
import { createScriptedEngine } from '@toolyard/sdk/testing';
import { describe, expect, it } from 'vitest';
import type { Yard } from '../../../src/app.ts';
import { firstPending, openLedgerYard } from '../../support/ledger.ts';
import { converse, logOf, openTestYard } from '../../support/yard.ts';

async function exported(yard: Yard, id: string, format: 'markdown' | 'json'): Promise<string> {
  return new Response(await yard.client().sessions.export(id, { format })).text();
}

/** Times are of the moment. */
function timeless(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/ses_\w{22}/g, 'SESSION');
}

const evil =
  '</details>\n```\n# Not a heading\n<script>alert(1)</script>\n\u202eflip ![x](https://spy/x.png)';

describe('an export as Markdown', () => {
  it('reads as the conversation did, calls and decisions included', async () => {
    const { yard } = await openLedgerYard();
    const client = yard.client();
    const { id } = await client.sessions.create({ title: 'Pay *Bob*' });
    const turn = Array.fromAsync(client.sessions.stream(id, 'pay bob'));
    await client.approvals.answer((await firstPending(yard)).id, { decision: 'allow' });
    await turn;
    expect(
      timeless(await exported(yard, id, 'markdown')).replaceAll(yard.work, 'WORK'),
    ).toMatchInlineSnapshot(`
      "# Pay \\*Bob\\*

      - Session: \`SESSION\`
      - Role: \`assistant\`
      - Engine: \`scripted, anthropic/claude-sonnet-5\`
      - Directory: \`WORK\`
      - Created: \`TIME\`
      - Exported: \`TIME\`

      ## Person · TIME

      > pay bob

      ### Tool \`mcp__suite__pay\` · TIME

      \`\`\`json
      {
        "to": "bob"
      }
      \`\`\`

      *Approval: allowed by \`person owner via library\`*

      *Result of \`mcp__suite__pay\`:*

      \`\`\`json
      {
        "paid": "bob"
      }
      \`\`\`

      ## Agent · TIME

      > {"paid":"bob"}
      "
    `);
  });

  it('keeps whatever anybody says in its place', async () => {
    const engine = createScriptedEngine({
      reply: ({ text, step }) =>
        step === 0
          ? [
              { thinking: evil },
              { text: `${text} \`\`\`\n${evil}` },
              { calls: [{ tool: `\`${evil}`, input: { evil } }] },
            ]
          : [{ fail: { code: 'provider_failed', message: evil } }],
    });
    const yard = await openTestYard({ engine });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, evil);
    const markdown = await exported(yard, id, 'markdown');
    expect(markdown).not.toContain('\u202e');
    // Outside of code, what others said stands in quotations, or has no meaning left.
    const ours = withoutFences(markdown).filter((line) => line !== '' && !line.startsWith('>'));
    expect(ours.filter((line) => line.startsWith('#')).map((line) => timeless(line).slice(0, 16))).toEqual([
      '# \\</details\\>',
      '## Person · TIME',
      '## Agent · TIME',
      '### Tool ```` `<',
    ]);
    const words = ours.map((line) => line.replace(/(`+) .*? \1/g, ''));
    expect(words.filter((line) => /(?<!\\)<[a-z/]|(?<!\\)!\[/i.test(line))).toEqual([]);
  });
});

/** As whoever shows Markdown would see it: a fence is closed by one that is as long. */
function withoutFences(markdown: string): string[] {
  let fence: string | undefined;
  return markdown.split('\n').filter((line) => {
    const mark = /^(`{3,})(\w*)$/.exec(line);
    const isEdge = mark && (fence === undefined || (mark[1] === fence && mark[2] === ''));
    if (isEdge) fence = fence === undefined ? mark[1] : undefined;
    return !isEdge && fence === undefined;
  });
}

describe('an export as JSON', () => {
  it('holds the session and every event, as they were read', async () => {
    const yard = await openTestYard();
    const { id } = await yard.client().sessions.create({ title: 'Whole' });
    for (const words of ['text', 'thinking', 'unicode']) await converse(yard, id, `conformance: ${words}`);
    const session = await yard.client().sessions.get(id);
    const { events, ...head } = JSON.parse(await exported(yard, id, 'json'));
    expect(head).toEqual({ format: 'toolyard-session', version: 1, exportedAt: expect.any(String), session });
    expect(events.map(parseEvent)).toEqual(await logOf(yard, id));
  });

  it('of a session in which nothing was said is whole, too', async () => {
    const yard = await openTestYard();
    const { id } = await yard.client().sessions.create();
    expect(JSON.parse(await exported(yard, id, 'json')).events).toEqual([]);
    expect(await exported(yard, id, 'markdown')).toMatch(/^# A session\n/);
  });

  it('takes no more of the log at a time than its reader takes of it', async () => {
    let pages = 0;
    const engine = createScriptedEngine({
      reply: () =>
        Array.from({ length: 3_000 }, (_, index) => ({ [index % 2 ? 'text' : 'thinking']: 'x' }) as never),
    });
    const yard = await openTestYard({
      engine,
      wrapStore: (store) => ({
        ...store,
        reads: {
          ...store.reads,
          events: (...wanted) => {
            pages += wanted[2] === 200 ? 1 : 0;
            return store.reads.events(...wanted);
          },
        },
      }),
    });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'much');
    const reader = (await yard.client().sessions.export(id, { format: 'json' })).getReader();
    await reader.read();
    await reader.read();
    const taken = pages;
    await reader.cancel();
    expect(taken).toBeLessThan(5);
  });

  it('breaks off, and does not look whole, when the session is deleted meanwhile', async () => {
    const engine = createScriptedEngine({
      reply: () =>
        Array.from({ length: 3_000 }, (_, index) => ({ [index % 2 ? 'text' : 'thinking']: 'x' }) as never),
    });
    const yard = await openTestYard({ engine });
    const { id } = await yard.client().sessions.create();
    await converse(yard, id, 'much');
    const stream = await yard.client().sessions.export(id, { format: 'json' });
    await yard.client().sessions.delete(id);
    await expect(new Response(stream).text()).rejects.toThrow('deleted');
  });
});

it('an export is a file, and of two formats only', async () => {
  const yard = await openTestYard();
  const { id } = await yard.client().sessions.create();
  const get = (query: string) =>
    yard.fetch(
      new Request(`http://127.0.0.1/api/sessions/${id}/export${query}`, {
        headers: { authorization: `Bearer ${yard.token}` },
      }),
    );
  const { headers } = await get('');
  expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    'text/markdown; charset=utf-8',
    `attachment; filename="${id}.md"`,
  ]);
  expect((await get('?format=json')).headers.get('content-type')).toBe('application/json');
  expect((await get('?format=html')).status).toBe(400);
});
