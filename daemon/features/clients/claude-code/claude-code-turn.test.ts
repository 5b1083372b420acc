import { describe, expect, it } from 'vitest';
import type { ProcessGroup } from '../../../storage/processes/process-group.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { aTurn } from '../../../testing/stand-ins/stand-in.js';
import type { Decide, Turn, TurnEvent } from '../client.js';
import { ClaudeCodeTurn } from './claude-code-turn.js';

const moment = () => new Promise((resolve) => setImmediate(resolve));

/** A run of the program, of which the test says the lines. */
function aRun({ turn = aTurn(), decide = async () => 'deny' }: { turn?: Turn; decide?: Decide } = {}) {
  const seen = { written: [] as string[], held: 0 };
  const group = {
    write: async (text: string) => void seen.written.push(text),
    holdQuiet: () => {
      seen.held += 1;
      return () => {
        seen.held -= 1;
      };
    },
  } as unknown as ProcessGroup;
  const place = { root: '/project', environment: { PATH: '/bin' } };
  const state = new ClaudeCodeTurn(turn, group, new FakeClock(), decide, place);
  const take = (...frames: object[]): TurnEvent[] => frames.flatMap((frame) => [...state.take(JSON.stringify(frame))]);
  return { state, take, seen };
}

const stream = (event: object) => ({ type: 'stream_event', event });
const start = (id: string, usage: object = {}) => stream({ type: 'message_start', message: { id, usage } });
const used = (usage: object) => stream({ type: 'message_delta', usage });
const block = stream({ type: 'content_block_start', content_block: { type: 'text' } });
const piece = (text: string) => stream({ type: 'content_block_delta', delta: { type: 'text_delta', text } });
const said = (id: string, texts: string[], more: object = {}) => ({
  type: 'assistant',
  message: { id, content: texts.map((text) => ({ type: 'text', text })), ...more },
});
const uses = (id: string, more: object = {}) => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: 'a.md' } }] },
  ...more,
});
const gave = (id: string, content: string, is_error = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
});
const init = (version = '2.1.300') => ({
  ...{ type: 'system', subtype: 'init', session_id: 's-1', claude_code_version: version },
});
const result = (more: object = {}) => ({ type: 'result', subtype: 'success', result: 'Words.', ...more });
const background = (...tasks: object[]) => ({ type: 'system', subtype: 'background_tasks_changed', tasks });
const texts = (events: readonly TurnEvent[]) => events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
const usages = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));

describe('the answer of a run', () => {
  it('arrives in pieces, and not again with the whole message', () => {
    const { take } = aRun();
    const events = take(start('m-1'), block, piece('One '), piece('two.'), said('m-1', ['One two.']));
    expect(texts(events)).toEqual(['One ', 'two.']);
  });

  it('is taken from a message that did not arrive in pieces, each text a block', () => {
    const { take } = aRun();
    expect(texts(take(start('m-1'), said('m-2', ['One.', '', 'Two.']), said('m-3', ['Three.'])))).toEqual([
      'One.',
      '\n\nTwo.',
      '\n\nThree.',
    ]);
  });

  it('begins a new block with each block of text', () => {
    expect(texts(aRun().take(block, piece('One.'), piece(''), block, piece('Two.')))).toEqual(['One.', '\n\nTwo.']);
  });

  it('has no text of a subagent, whose uses of tools are told', () => {
    const events = aRun().take(
      { ...said('m-1', ['Hm.']), parent_tool_use_id: 't-0' },
      uses('t-1', { parent_tool_use_id: 't-0' }),
    );
    expect(events).toEqual([{ type: 'tool', call: { id: 't-1', name: 'Read', target: 'a.md', state: 'running' } }]);
  });

  it('is the words of the result where there were none before', () => {
    const { state, take } = aRun();
    take(result());
    expect([...state.finish()]).toEqual([
      { type: 'text', text: 'Words.' },
      { type: 'end', citations: [] },
    ]);
    const other = aRun();
    other.take(piece('One.'), result());
    expect([...other.state.finish()]).toEqual([{ type: 'end', citations: [] }]);
  });

  it('may be empty', () => {
    expect([...aRun().state.finish()]).toEqual([{ type: 'end', citations: [] }]);
  });
});

describe('the uses of tools of a run', () => {
  it('end with their results', () => {
    const { take, seen } = aRun();
    const events = take(uses('t-1'), uses('t-2'));
    expect(seen.held).toBe(2);
    events.push(...take(gave('t-1', 'text'), gave('t-2', 'no', true), gave('t-3', 'never began')));
    expect(seen.held).toBe(0);
    const call = { name: 'Read', target: 'a.md' };
    expect(events.slice(2)).toEqual([
      { type: 'tool', call: { id: 't-1', ...call, state: 'done', ms: 0, output: 'text' } },
      { type: 'tool', call: { id: 't-2', ...call, state: 'failed', ms: 0, output: 'no' } },
    ]);
  });

  it('that run at the end of an answer are done, and at a close no longer held', () => {
    const { state, take, seen } = aRun();
    take(uses('t-1'), piece('One.'), result());
    expect([...state.finish()]).toMatchObject([{ type: 'tool', call: { state: 'done' } }, { type: 'end' }]);
    take(uses('t-2'));
    expect(seen.held).toBe(1);
    state.close();
    expect(seen.held).toBe(0);
  });
});

describe('what a run has taken', () => {
  it('is told when a message took more, summed over the messages', () => {
    const { take } = aRun();
    const events = take(
      start('m-1', { input_tokens: 10, output_tokens: 1 }),
      used({ output_tokens: 5 }),
      used({ output_tokens: 4 }),
      start('m-2', { input_tokens: 20 }),
      used({ input_tokens: 21 }),
      said('m-1', [], { usage: { input_tokens: 10, output_tokens: 6 } }),
    );
    expect(usages(events)).toEqual([
      { input_tokens: 10, output_tokens: 1 },
      { input_tokens: 10, output_tokens: 5 },
      { input_tokens: 30, output_tokens: 5 },
      { input_tokens: 31, output_tokens: 5 },
      { input_tokens: 31, output_tokens: 6 },
    ]);
  });

  it('has nothing of messages without a name, or that took nothing', () => {
    const { take } = aRun();
    expect(usages(take(used({ output_tokens: 5 }), start('', { output_tokens: 5 }), start('m-1')))).toEqual([]);
  });

  it('is at the end the most that messages and result tell', () => {
    const { state, take } = aRun();
    take(start('m-1', { input_tokens: 10, output_tokens: 9 }));
    take(result({ usage: { input_tokens: 15, output_tokens: 2 } }));
    expect([...state.report()]).toEqual([{ type: 'usage', usage: { input_tokens: 15, output_tokens: 9 } }]);
  });

  it.each([
    [{ input_tokens: 3 }, { input_tokens: 3 }],
    [{ output_tokens: 3 }, { output_tokens: 3 }],
    [{ output_tokens: 0 }, { output_tokens: 0 }],
  ])('is what the result tells where messages tell nothing: %j', (usage, told) => {
    const { state, take } = aRun();
    take(result({ usage }));
    expect([...state.report()]).toEqual([{ type: 'usage', usage: told }]);
  });

  it('is nothing where nothing was told', () => {
    const { state, take } = aRun();
    take(init(), result());
    expect([...state.report()]).toEqual([]);
  });

  const kept = { session: 's-1', session_cost_usd: 0.3 };
  it.each([
    [kept, '2.1.277', 0.2],
    [{ session: 's-1' }, '2.1.277', 0.5],
    [{ session: null, session_cost_usd: 0.3 }, '2.1.277', 0.5],
    [kept, '2.1.276', 0.5],
  ])('costs what is new in the session: %j in %s', (before, version, cost_usd) => {
    const { state, take } = aRun({ turn: aTurn(before) });
    expect(take(init(version))).toEqual([{ type: 'session', session: 's-1' }]);
    take(result({ total_cost_usd: 0.5 }));
    expect([...state.report()]).toEqual([
      { type: 'session', session: 's-1', cost_usd: 0.5 },
      { type: 'usage', usage: { cost_usd } },
    ]);
  });

  it('costs the total of a run whose session has no name', () => {
    const { state, take } = aRun({ turn: aTurn(kept) });
    take(result({ total_cost_usd: 0 }));
    expect([...state.report()]).toEqual([{ type: 'usage', usage: { cost_usd: 0 } }]);
  });
});

describe('the end of a run', () => {
  it('is its result', () => {
    const { state, take } = aRun();
    expect([state.isFinal, state.result]).toEqual([false, undefined]);
    take(result());
    expect(state.isFinal).toBe(true);
  });

  it('waits for tasks in the background, during which the program may be silent', () => {
    const { state, take, seen } = aRun();
    take(background({}), background({}, {}), result());
    expect([state.isFinal, seen.held]).toEqual([false, 1]);
    take(background({ ambient: true }));
    expect([state.isFinal, seen.held]).toEqual([false, 0]);
    take(background(), result());
    expect([state.isFinal, seen.held]).toEqual([true, 0]);
  });

  it('is at once a result that is an error', () => {
    const { state, take, seen } = aRun();
    take(background({}), result({ is_error: true }));
    expect(state.isFinal).toBe(true);
    state.close();
    expect(seen.held).toBe(0);
  });

  const gone = 'No conversation found with session ID: s-1';
  it.each([
    ['s-1', gone, true, true],
    ['s-1', gone, false, false],
    [null, gone, true, false],
    ['s-1', `Error: ${gone}`, true, false],
    ['s-1', 'overloaded', true, false],
  ])('tells that a session is gone: session %j, %j, an error: %j', (session, words, is_error, isGone) => {
    const { state, take } = aRun({ turn: aTurn({ session }) });
    expect(state.isSessionGone).toBe(false);
    take(result({ result: words, is_error }));
    expect(state.isSessionGone).toBe(isGone);
  });

  it('comes after 1 MiB of lines that are no message', () => {
    const { state } = aRun();
    expect([...state.take('x'.repeat(1024 * 1024))]).toEqual([]);
    expect(() => [...state.take('x')]).toThrow('output_limit');
  });
});

describe('a request that the program repeats', () => {
  const retry = (more: object) => ({ type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, ...more });

  it('is progress', () => {
    expect(aRun().take(retry({ error_status: 529, error: 'overloaded' }))).toEqual([
      { type: 'progress', stage: 'waiting for the model', done: 2, total: 10 },
    ]);
  });

  it.each([[{ error_status: 401 }], [{ error_status: 403 }], [{ error: 'authentication_failed' }]])(
    'for want of a valid key is the end: %j',
    (more) => {
      expect(() => aRun().take(retry(more))).toThrow(
        'Claude Code is not logged in, or its key is refused: start `claude` once and log in, or set ' +
          'ANTHROPIC_API_KEY.',
      );
    },
  );
});

describe('a permission that the program asks for', () => {
  const input = { command: 'make', description: 'Builds.' };
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input };
  const question = { type: 'control_request', request_id: 'r-1', request };
  const replies = (written: readonly string[]) => written.map((line) => JSON.parse(line));
  const reply = (response: object) => ({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'r-1', response },
  });

  it('is asked of the operator, and the program may be silent until it is decided', async () => {
    const asked: unknown[] = [];
    const { take, seen } = aRun({
      decide: async (one) => {
        asked.push([one, seen.held]);
        return 'allow_once';
      },
    });
    expect(take(question)).toEqual([]);
    await moment();
    const detail = { kind: 'command', command: 'make', folder: '/project', environment: ['PATH'] };
    expect(asked).toEqual([[{ tool: 'Bash', target: 'make', reason: 'Builds.', detail }, 1]]);
    expect(replies(seen.written)).toEqual([reply({ behavior: 'allow', updatedInput: input })]);
    expect(seen.held).toBe(0);
    expect(seen.written[0]).toMatch(/\}\n$/);
  });

  it.each([
    ['operator', 'The operator did not allow this. Go on without it, or say what you would need and why.'],
    ['outside', 'Other programs’ questions may only read this project. Go on without it.'],
  ] as const)('is denied in words, in a turn of %s', async (profile, message) => {
    const asked: unknown[] = [];
    const decide: Decide = async (one) => {
      asked.push(one);
      return 'deny';
    };
    const { take, seen } = aRun({ turn: aTurn({ profile }), decide });
    take(question);
    await moment();
    expect(replies(seen.written)).toEqual([reply({ behavior: 'deny', message })]);
    expect([asked.length, seen.held]).toEqual([profile === 'outside' ? 0 : 1, 0]);
  });

  it('gets no reply after the close', async () => {
    const { state, take, seen } = aRun({ decide: async () => 'allow_once' });
    take(question);
    state.close();
    await moment();
    expect(seen.written).toEqual([]);
  });
});
