import { describe, expect, it } from 'vitest';
import { aTurn } from '../../../testing/stand-ins/model-endpoint-client.js';
import type { Decide, PermissionQuestion, Turn } from '../client.js';
import { allowed, changingTools, type RunCommand } from './changing-tools.js';
import { Fields } from './tool.js';

const signal = new AbortController().signal;
const place = { root: '/project', environment: { PATH: '/bin' } };

interface Given {
  turn?: Turn;
  decision?: Awaited<ReturnType<Decide>>;
  runCommand?: RunCommand | undefined;
}

/** The tools of a turn, with what the operator was asked and what was changed. */
function tools({
  turn = aTurn({ tools: ['edit', 'execute'] }),
  decision = 'allow_once',
  runCommand = async () => ({ exit: 0, output: '' }),
}: Given = {}) {
  const asked: PermissionQuestion[] = [];
  const edits: string[][] = [];
  const decide: Decide = async (question) => {
    asked.push(question);
    return decision;
  };
  const project = {
    replace: async (...edit: string[]) => {
      edits.push(edit);
      return { line: 7 };
    },
  };
  const all = changingTools(turn, decide, project, runCommand, place);
  const run = async (name: string, input: object) =>
    all.find((tool) => tool.name === name)?.run(new Fields(input), signal);
  const target = (name: string, input: object) => all.find((tool) => tool.name === name)?.target(new Fields(input));
  return { all, run, target, asked, edits };
}

describe('the tools that change something', () => {
  it.each([
    [{ tools: ['edit', 'execute'] }, ['edit', 'execute']],
    [{ tools: ['execute'] }, ['execute']],
    [{ tools: ['edit'] }, ['edit']],
    [{ tools: ['read', 'web'] }, []],
    [{ tools: ['edit', 'execute'], profile: 'outside' as const }, []],
  ])('are those of the member, and none for another program: %j', (member, names) => {
    expect(tools({ turn: aTurn(member) }).all.map(({ name }) => name)).toEqual(names);
  });

  it('have no execution where nothing runs commands', () => {
    const all = changingTools(
      aTurn({ tools: ['edit', 'execute'] }),
      async () => 'deny',
      { replace: async () => ({ line: 1 }) },
      undefined,
      place,
    );
    expect(all.map(({ name }) => name)).toEqual(['edit']);
  });

  it('are described to the model with their fields', () => {
    expect(tools().all.map(({ description, schema }) => [description, schema])).toEqual([
      [
        'Replaces a text that stands exactly once in a file of the project; with an empty old_text it makes a new ' +
          'file. The operator is asked first.',
        {
          type: 'object',
          properties: {
            path: { type: 'string' },
            old_text: { type: 'string', description: 'Exactly as it stands in the file, without line numbers.' },
            new_text: { type: 'string' },
            reason: { type: 'string', description: 'One sentence for the operator.' },
          },
          required: ['path', 'old_text', 'new_text'],
          additionalProperties: false,
        },
      ],
      [
        'Runs a command line in the project folder and gives its exit code and output. The operator is asked first.',
        {
          type: 'object',
          properties: {
            command: { type: 'string' },
            reason: { type: 'string', description: 'One sentence for the operator.' },
          },
          required: ['command'],
          additionalProperties: false,
        },
      ],
    ]);
  });
});

describe('an edit', () => {
  it('is made once it is allowed, and says where', async () => {
    const { run, asked, edits } = tools();
    const input = { path: ' ./a.ts', old_text: 'one', new_text: 'two', reason: 'It is\ntwo.' };
    expect(await run('edit', input)).toBe('Written: a.ts, from line 7.');
    expect(edits).toEqual([['a.ts', 'one', 'two']]);
    const changes = [{ path: 'a.ts', old_text: 'one', new_text: 'two', cut: false }];
    expect(asked).toEqual([{ tool: 'edit', target: 'a.ts', reason: 'It is two.', detail: { kind: 'edit', changes } }]);
  });

  it('without an old text makes a new file, and without a new one removes the text', async () => {
    const { run, asked, edits } = tools();
    await run('edit', { path: 'a.ts', new_text: 'two' });
    await run('edit', { path: 'a.ts', old_text: 'one' });
    expect(edits).toEqual([
      ['a.ts', '', 'two'],
      ['a.ts', 'one', ''],
    ]);
    expect(asked.map(({ detail }) => detail?.changes?.[0])).toEqual([
      { path: 'a.ts', old_text: null, new_text: 'two', cut: false },
      { path: 'a.ts', old_text: 'one', new_text: '', cut: false },
    ]);
  });

  it('that is denied is not made', async () => {
    const { run, edits } = tools({ decision: 'deny' });
    await expect(run('edit', { path: 'a.ts', old_text: 'one', new_text: 'two' })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'The operator did not allow this: do without it, and say so in your answer.',
    });
    expect(edits).toEqual([]);
  });

  it.each([
    [{ path: 'a', old_text: 'x', new_text: 'x' }, '`old_text` and `new_text` are the same.'],
    [{ path: 'a' }, '`old_text` and `new_text` are the same.'],
    [{ new_text: 'x' }, '`path` is missing: give a text.'],
    [{ path: 'x'.repeat(1_025), new_text: 'x' }, '`path` is longer than 1024 characters.'],
    [{ path: 'a', new_text: 'x'.repeat(512 * 1024 + 1) }, '`new_text` is longer than 524288 characters.'],
    [{ path: 'a', old_text: 'x'.repeat(512 * 1024 + 1) }, '`old_text` is longer than 524288 characters.'],
  ])('is refused before the operator is asked: %#', async (input, words) => {
    const { run, asked } = tools();
    await expect(run('edit', input)).rejects.toMatchObject({ code: 'bad_request', message: words });
    expect(asked).toEqual([]);
  });

  it('is shown with its path', () => {
    expect(tools().target('edit', { path: 'a.ts' })).toBe('a.ts');
  });
});

describe('a command', () => {
  const giving = (exit: number | null, output: string) => tools({ runCommand: async () => ({ exit, output }) });

  it('runs once it is allowed, with the signal of the turn', async () => {
    const ran: unknown[] = [];
    const { run, asked } = tools({
      runCommand: async (...all) => {
        ran.push(all);
        return { exit: 3, output: 'one\ntwo\n' };
      },
    });
    expect(await run('execute', { command: ' make ', reason: 'Build.' })).toBe('exit 3\none\ntwo\n');
    expect(ran).toEqual([[' make ', signal]]);
    const detail = { kind: 'command', command: ' make ', folder: '/project', environment: ['PATH'] };
    expect(asked).toEqual([{ tool: 'execute', target: ' make ', reason: 'Build.', detail }]);
  });

  it('that is denied does not run', async () => {
    const ran: unknown[] = [];
    const { run } = tools({
      decision: 'deny',
      runCommand: async (command) => {
        ran.push(command);
        return { exit: 0, output: '' };
      },
    });
    await expect(run('execute', { command: 'make' })).rejects.toMatchObject({ code: 'forbidden' });
    expect(ran).toEqual([]);
  });

  it('that a signal ended says so', async () => {
    expect(await giving(null, 'x').run('execute', { command: 'make' })).toBe('exit by a signal\nx');
    expect(await giving(0, 'x').run('execute', { command: 'make' })).toBe('exit 0\nx');
  });

  it('gives the end of a long output, and how much is left out', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${1_000 + index}`);
    const text = await giving(0, lines.join('\n')).run('execute', { command: 'make' });
    // Each line takes 10 bytes with its end.
    const kept = Math.floor((32 * 1024 - 512) / 10);
    expect(text).toBe(`exit 0\n[${5_000 - kept} earlier lines left out]\n${lines.slice(-kept).join('\n')}`);
  });

  it('gives at most 2,000 characters of a line', async () => {
    expect(await giving(0, `${'x'.repeat(2_001)}\nend`).run('execute', { command: 'make' })).toBe(
      `exit 0\n${'x'.repeat(2_000)}\nend`,
    );
  });

  it('has at most 4,096 characters', async () => {
    const { run, asked } = giving(0, '');
    expect(await run('execute', { command: 'x'.repeat(4_096) })).toBe('exit 0\n');
    await expect(run('execute', { command: 'x'.repeat(4_097) })).rejects.toThrow('longer than 4096 characters');
    await expect(run('execute', {})).rejects.toThrow('`command` is missing');
    expect(asked).toHaveLength(1);
  });

  it('is shown as it is', () => {
    expect(tools().target('execute', { command: 'make all' })).toBe('make all');
  });
});

describe('the wait for a decision', () => {
  const question = { tool: 'edit', target: 'a', reason: '' };

  it('ends with the turn, and is not begun after it', async () => {
    const off = new AbortController();
    const waiting = allowed(() => new Promise(() => undefined), question, off.signal);
    off.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    let asked = 0;
    const decide: Decide = async () => {
      asked += 1;
      return 'allow_once';
    };
    await expect(allowed(decide, question, off.signal)).rejects.toThrow('stopped');
    expect(asked).toBe(0);
  });

  it.each(['allow_once', 'allow_always'] as const)('ends with %s', async (decision) => {
    await expect(allowed(async () => decision, question, signal)).resolves.toBeUndefined();
  });

  it('fails with the decision', async () => {
    await expect(allowed(() => Promise.reject(new Error('gone')), question, signal)).rejects.toThrow('gone');
  });

  it('leaves no listener behind', async () => {
    const added: unknown[] = [];
    const removed: unknown[] = [];
    const watched = {
      aborted: false,
      throwIfAborted: () => undefined,
      addEventListener: (...all: unknown[]) => added.push(all),
      removeEventListener: (name: string, listener: unknown) => removed.push([name, listener]),
    } as unknown as AbortSignal;
    await allowed(async () => 'allow_once', question, watched);
    await new Promise((resolve) => setImmediate(resolve));
    expect(added).toEqual([['abort', expect.any(Function), { once: true }]]);
    expect(removed).toEqual([['abort', (added[0] as unknown[])[1]]]);
  });
});
