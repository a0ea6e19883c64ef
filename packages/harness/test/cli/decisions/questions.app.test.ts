// Questions of agents at the command line: asked inside `run`, answered there or from another terminal, listed.
import { type Asked, type Engine, pause, type Question, toText } from '@toolyard/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandYard, createPerson, openCommandYard } from '../in-process.ts';

const asked: Record<string, Asked> = {
  name: { text: 'What shall it be called?' },
  colour: {
    text: 'Which colour?\u202e',
    options: [{ label: 'Red', description: 'warm' }, { label: 'Dark blue' }],
  },
  plan: {
    text: 'May it go to work?',
    body: `# A plan\n\n${'One thing after the other.\n'.repeat(200)}The end.`,
    options: [{ label: 'Yes' }, { label: 'No' }],
    ownWords: true,
  },
  days: {
    text: 'Which days?',
    multiple: true,
    options: [{ label: 'Monday' }, { label: 'Tuesday' }, { label: '1' }],
  },
};

/** Asks what the message names, then says how that ended. */
const engine: Engine = {
  id: 'asker',
  nativeTools: [],
  start: async () => ({
    async prompt(input, host) {
      const name = input.kind === 'message' ? toText(input.content) : '';
      const replied = await host.ask(asked[name] ?? { text: name });
      await host.emit({ type: 'text_delta', data: { text: JSON.stringify(replied) } });
      return { outcome: 'completed' };
    },
    close: async () => {},
  }),
};

let commandYard: CommandYard;
beforeAll(async () => {
  commandYard = await openCommandYard({ engine });
});
afterAll(() => commandYard.close());

async function pending(): Promise<Question> {
  for (let tries = 0; tries < 500; tries++) {
    const [question] = (await commandYard.yard.client().questions.list({ state: 'pending' })).items;
    if (question) return question;
    await pause(10);
  }
  throw new Error('nobody was asked');
}

describe('run at a terminal', () => {
  it('asks for a choice, and its number answers', async () => {
    const { start } = commandYard;
    const running = start(['run', 'colour'], { person: createPerson('\r', '9', '2') });
    const { code, stdout, stderr } = await running.finished;
    expect([code, stdout]).toEqual([0, '{"state":"answered","answer":"Dark blue"}\n']);
    expect(stderr).toContain('? The agent asks you:\n  │ Which colour?⟨U+202E⟩\n');
    expect(stderr).toMatch(
      /asks +assistant in ses_\w+\n {2}waits +(30 min 0 s|29 min \d+ s)\n {2}question +qst_\w+\n {2}1 {2}Red: warm\n {2}2 {2}Dark blue\n/,
    );
    expect(stderr).toContain('Press one of 1, 2. Enter does not answer.');
    expect(stderr).toContain('✓ The question was answered: Dark blue\n');
  });

  it('asks for words on a line that a key opens, and an empty line answers nothing', async () => {
    const { start } = commandYard;
    const { code, stdout } = await start(['run', 'name'], { person: createPerson('a', ' ', 'a', 'The yard') })
      .finished;
    expect([code, stdout]).toEqual([0, '{"state":"answered","answer":"The yard"}\n']);
  });

  it('takes several choices by number or name, and none that is not there', async () => {
    const { start } = commandYard;
    const person = createPerson('a', '1, 7', 'a', 'Tuesday, 1');
    const { stdout, stderr } = await start(['run', 'days'], { person }).finished;
    expect(stdout).toBe('{"state":"answered","answer":["Tuesday","1"]}\n');
    expect(stderr).toContain('That is not one of the choices.');
  });

  it('shows all of a plan, and takes a number or words of one’s own', async () => {
    const { start } = commandYard;
    const chosen = await start(['run', 'plan'], { person: createPerson('1') }).finished;
    expect(chosen.stdout).toBe('{"state":"answered","answer":"Yes"}\n');
    expect(chosen.stderr.match(/│ One thing after the other\./g)).toHaveLength(200);
    expect(chosen.stderr).toContain('│ The end.');
    const said = await start(['run', 'plan'], { person: createPerson('a', '', 'a', 'Yes, but slowly') })
      .finished;
    expect(said.stdout).toBe('{"state":"answered","answer":"Yes, but slowly"}\n');
  });

  it('stops asking when it is answered elsewhere', async () => {
    const { start, run } = commandYard;
    const running = start(['run', 'colour'], { person: createPerson() });
    const { id } = await pending();
    await running.until(/2 {2}Dark blue/);
    await run('questions', 'answer', id, 'Red');
    expect(await running.finished).toMatchObject({
      code: 0,
      stdout: '{"state":"answered","answer":"Red"}\n',
      stderr: expect.stringContaining('✓ The question was answered: Red\n'),
    });
  });
});

describe('run without a terminal', () => {
  it('prints one line with the exact command, and goes on when it is answered elsewhere', async () => {
    const { start, run, yard } = commandYard;
    const running = start(['run', 'colour']);
    const { id, sessionId } = await pending();
    const [line] = await running.until(/^The agent asks.*$/m);
    expect(line).toBe(
      `The agent asks: Which colour?⟨U+202E⟩ (1 Red, 2 Dark blue) Answer from another terminal: npm start -- questions answer ${id} NUMBER`,
    );
    expect(await yard.client().sessions.get(sessionId)).toMatchObject({ status: 'waiting' });
    expect(await run('questions', 'answer', id, '2')).toEqual({
      code: 0,
      stdout: '✓ The question was answered: Dark blue\n',
      stderr: '',
    });
    expect(await running.finished).toMatchObject({
      code: 0,
      stdout: '{"state":"answered","answer":"Dark blue"}\n',
    });
    expect(await yard.client().sessions.get(sessionId)).toMatchObject({ status: 'idle' });
  });

  it('gives programs the events on stdout and the line on stderr', async () => {
    const { start, run } = commandYard;
    const running = start(['run', '--json', 'name'], { person: createPerson('a', 'x') });
    const { id } = await pending();
    await run('questions', 'answer', id, 'The', 'yard');
    const { stdout, stderr } = await running.finished;
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each).type);
    expect(types).toEqual(expect.arrayContaining(['question_required', 'question_resolved']));
    expect(stderr).toMatch(/^The agent asks: What shall it be called\?/);
    expect(stdout).toContain('\\"answer\\":\\"The yard\\"');
  });
});

describe('questions', () => {
  it('are listed with their choices, and answered once', async () => {
    const { start, run } = commandYard;
    const running = start(['run', 'days']);
    const { id } = await pending();
    const listed = await run('questions', 'list', '--state', 'pending');
    expect(listed.stdout).toMatch(
      new RegExp(`^${id} +pending +just now +Which days\\? +1 Monday, 2 Tuesday, 3 1$`, 'm'),
    );
    expect(listed.stderr).toBe('Answer: npm start -- questions answer ID ANSWER\n');
    expect(JSON.parse((await run('questions', 'list', '--json', '--limit', '1')).stdout).items).toMatchObject(
      [{ id }],
    );
    expect(await run('questions', 'answer', id, 'Friday')).toMatchObject({
      code: 2,
      stderr:
        'error: That is not one of the choices. Choose one or more by number or name: 1 Monday, 2 Tuesday, 3 1.\n',
    });
    const answered = await run('questions', 'answer', id, '2', 'Monday', '--json');
    expect(JSON.parse(answered.stdout)).toMatchObject({
      id,
      state: 'answered',
      answer: ['Tuesday', 'Monday'],
      decidedBy: { kind: 'person', id: 'owner', via: 'terminal' },
    });
    await running.finished;
    expect(await run('questions', 'answer', id, '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already answered'),
    });
  });

  it('that are not there are said so', async () => {
    const { run } = commandYard;
    const id = `qst_${'0'.repeat(22)}`;
    expect(await run('questions', 'answer', id, 'x')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: There is no question ${id}.\n`,
    });
    expect(await run('questions', 'list', '--state', 'expired')).toMatchObject({
      stdout: 'No question is expired.\n',
    });
    expect(await run('questions', 'list', '--state', 'open')).toMatchObject({ code: 2 });
  });
});
