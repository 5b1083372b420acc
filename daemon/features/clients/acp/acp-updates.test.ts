import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { ToolCalls } from '../agent-program-calls.js';
import { AcpUpdates, getCost, namedPaths, onlyReads } from './acp-updates.js';

type Update = Readonly<Record<string, unknown>>;

function updates() {
  const clock = new FakeClock();
  const updates = new AcpUpdates(new ToolCalls(clock, () => () => undefined));
  const take = (...all: Update[]) => all.flatMap((update) => [...updates.take(update)]);
  return { updates, take, clock };
}

const said = (text: unknown, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});
const use = (toolCallId: string, more: object = {}) => ({ sessionUpdate: 'tool_call', toolCallId, ...more });
const change = (toolCallId: string, more: object = {}) => ({
  ...use(toolCallId, more),
  sessionUpdate: 'tool_call_update',
});
const cost = (amount: unknown, currency = 'USD') => ({ sessionUpdate: 'usage_update', cost: { amount, currency } });
const texts = (events: ReturnType<ReturnType<typeof updates>['take']>) =>
  events.map((event) => (event.type === 'text' ? event.text : event.type));

describe('the answer of an agent', () => {
  it('is its message, without pieces that are empty or no text', () => {
    expect(texts(updates().take(said('a'), said(''), said(7), said('b')))).toEqual(['a', 'b']);
  });

  it('begins a new block with each message, and after a use of a tool', () => {
    const { take } = updates();
    const events = take(said('a', 'm-1'), said('b', 'm-1'), said('c', 'm-2'), use('1'), said('d', 'm-2'));
    expect(texts(events)).toEqual(['a', 'b', '\n\nc', 'tool', '\n\nd']);
    expect(texts(take(change('1'), said('e', 'm-2')))).toEqual(['tool', '\n\ne']);
  });

  it('is one block where messages have no names', () => {
    expect(texts(updates().take(said('a'), said('b')))).toEqual(['a', 'b']);
  });

  it('has none of its thoughts, plans and other updates', () => {
    const { take } = updates();
    const others = ['agent_thought_chunk', 'user_message_chunk', 'plan', 'current_mode_update', undefined];
    expect(others.flatMap((sessionUpdate) => take({ ...said('x'), sessionUpdate }))).toEqual([]);
  });
});

describe('a use of a tool', () => {
  it('is a call from its first report to its end', () => {
    const { take, clock } = updates();
    const output = [
      { type: 'content', content: { type: 'text', text: 'one' } },
      { type: 'diff', path: 'a' },
      'odd',
      { type: 'content', content: { type: 'text', text: 'two' } },
    ];
    const events = take(use('1', { title: 'README.md', kind: 'read', rawInput: { path: 'a.md' } }));
    clock.advance(7);
    events.push(...take(change('1', { status: 'in_progress' }), change('1', { status: 'completed', content: output })));
    const call = { id: '1', name: 'read', target: 'a.md' };
    expect(events).toEqual([
      { type: 'tool', call: { ...call, state: 'running' } },
      { type: 'tool', call: { ...call, state: 'running' } },
      { type: 'tool', call: { ...call, state: 'done', ms: 7, output: 'one\ntwo' } },
    ]);
  });

  it('that failed is a failed call', () => {
    const events = updates().take(use('1', { status: 'failed' }));
    expect(events).toMatchObject([{ type: 'tool', call: { state: 'failed' } }]);
  });

  it('without an id is none', () => {
    expect(updates().take(use(''), { sessionUpdate: 'tool_call', title: 'x' })).toEqual([]);
  });

  it('is known by its id: its kind stays', () => {
    const { updates: all, take } = updates();
    expect(all.getKind({ toolCallId: '1' })).toBe('');
    take(use('1', { kind: 'edit' }));
    expect([all.getKind({ toolCallId: '1' }), all.getKind({ toolCallId: '1', kind: 'read' })]).toEqual([
      'edit',
      'read',
    ]);
    expect(all.getKind({ toolCallId: '2' })).toBe('');
  });

  it('that has ended needs its texts no more, and has them until then', () => {
    const { updates: all, take } = updates();
    const content = [{ type: 'diff', path: 'a' }];
    take(use('1', { rawInput: { path: 'a' }, content }));
    expect(all.describe({ toolCallId: '1' })).toMatchObject({ content, input: { path: 'a' } });
    take(change('1', { status: 'completed', content: 'no list' }));
    expect(all.describe({ toolCallId: '1' })).toMatchObject({ content: undefined, input: {} });
  });
});

describe('the description of a use', () => {
  const described = (...reports: Update[]) => {
    const { updates: all } = updates();
    return reports.map((report) => all.describe({ toolCallId: '1', ...report })).at(-1);
  };

  it.each([
    [{ name: 'Grep', kind: 'search', title: 'find x' }, 'Grep'],
    [{ kind: 'search', title: 'find x' }, 'search'],
    [{ title: 'find x' }, 'find x'],
    [{}, 'tool'],
  ])('has the name that says most: %j', (report, name) => {
    expect(described(report)?.name).toBe(name);
  });

  it('keeps the name that it had', () => {
    expect(described({ name: 'Grep' }, { kind: 'search' })?.name).toBe('Grep');
    expect(described({ kind: 'search' }, { name: 'Grep' })?.name).toBe('Grep');
  });

  it.each([
    [{ rawInput: { command: ['make', 'a b'], path: 'x' } }, "make 'a b'"],
    [{ rawInput: { file_path: 'a', filePath: 'x' } }, 'a'],
    [{ rawInput: { filePath: 'a', path: 'x' } }, 'a'],
    [{ rawInput: { path: 'a', pattern: 'x' } }, 'a'],
    [{ rawInput: { pattern: 'a', query: 'x' } }, 'a'],
    [{ rawInput: { query: 'a', url: 'x' } }, 'a'],
    [{ rawInput: { url: 'a', member: 'x' } }, 'a'],
    [{ rawInput: { member: 'a' }, title: 'x' }, 'a'],
    [{ title: 'a', kind: 'read', locations: [{ path: 'x' }] }, 'a'],
    [{ title: 'same', locations: [{ path: 'a' }, { path: 'x' }] }, 'a'],
    [{ title: 'same' }, ''],
    [{}, ''],
  ])('has the target that says most: %j', (report, target) => {
    expect(described(report)?.target).toBe(target);
  });

  it('keeps the target that it had, before a mere location', () => {
    expect(described({ rawInput: { path: 'a' } }, { locations: [{ path: 'b' }] })?.target).toBe('a');
    expect(described({ rawInput: { path: 'a' } }, { title: 'b', kind: 'read' })?.target).toBe('b');
  });

  it('keeps the last content and input that were reported', () => {
    const content = [{ type: 'diff' }];
    const before = { rawInput: { a: 1 }, content };
    expect(described(before, {})).toMatchObject({ content, input: { a: 1 } });
    expect(described(before, { rawInput: { b: 2 }, content: [] })).toMatchObject({ content: [], input: { b: 2 } });
    expect(described({})).toMatchObject({ content: undefined, input: {} });
  });
});

describe('a use in a run for another program', () => {
  const isIn = (path: string) => !path.startsWith('/');
  const isForbidden = (report: Update, ...before: Update[]) => {
    const { updates: all, take } = updates();
    take(...before);
    take(report);
    return all.isForbiddenOutside(report, isIn);
  };

  it.each(['edit', 'delete', 'move', 'execute', 'fetch'])('is forbidden once it has done: %s', (kind) => {
    expect(isForbidden(change('1', { kind, status: 'completed' }))).toBe(true);
    expect(isForbidden(change('1', { status: 'completed' }), use('1', { kind }))).toBe(true);
    for (const status of ['failed', 'in_progress', undefined])
      expect(isForbidden(change('1', { kind, status }))).toBe(false);
  });

  it.each(['read', 'search', 'think', 'other', 'switch_mode', ''])('is not forbidden: %j', (kind) => {
    expect(isForbidden(change('1', { kind, status: 'completed' }))).toBe(false);
  });

  it('is forbidden where a path that it ever named is outside', () => {
    const done = change('1', { kind: 'read', status: 'completed', rawInput: { path: 'a' } });
    expect(isForbidden(done, use('1', { locations: [{ path: 'b' }] }))).toBe(false);
    expect(isForbidden(done, use('1', { locations: [{ path: 'b' }, { path: '/c' }] }))).toBe(true);
    expect(isForbidden(done, use('2', { locations: [{ path: '/c' }] }))).toBe(false);
  });

  it('is judged by its first 200 paths', () => {
    const locations = (count: number) => [...Array.from({ length: count }, () => ({ path: 'a' })), { path: '/b' }];
    const done = (count: number) => change('1', { status: 'completed', locations: locations(count) });
    expect([isForbidden(done(199)), isForbidden(done(200))]).toEqual([true, false]);
  });

  it('is not forbidden where it was never reported', () => {
    expect(updates().updates.isForbiddenOutside({ toolCallId: '9', status: 'completed' }, () => false)).toBe(false);
  });
});

describe('the usage of a turn', () => {
  const usage = (reported: unknown) => updates().updates.usage({ usage: reported });

  it.each([
    [{ inputTokens: 1, cachedReadTokens: 10, cachedWriteTokens: 100, outputTokens: 7 }, 111, 7],
    [{ cachedReadTokens: 10 }, 10, undefined],
    [{ inputTokens: 0 }, 0, undefined],
    [{ outputTokens: 0 }, undefined, 0],
    [{ outputTokens: 7, totalTokens: 9 }, undefined, 9],
    [{ inputTokens: 3, outputTokens: 7, totalTokens: 12 }, 3, 9],
    [{ inputTokens: -1, cachedReadTokens: 2.5, outputTokens: '7' }, undefined, undefined],
    [undefined, undefined, undefined],
  ])('is what was reported of it: %j', (reported, input, output) => {
    const found = {
      ...(input === undefined ? {} : { input_tokens: input }),
      ...(output === undefined ? {} : { output_tokens: output }),
    };
    expect(usage(reported)).toEqual(input === undefined && output === undefined ? undefined : found);
  });

  it('has the cost of the session without what it had cost before', () => {
    const { updates: all, take } = updates();
    all.startFrom(0.3);
    expect(take(cost(0.5))).toEqual([{ type: 'usage', usage: { cost_usd: 0.2 } }]);
    expect([all.costOfSession, all.usage({})]).toEqual([0.5, { cost_usd: 0.2 }]);
    expect(take(cost(0.5, 'EUR'))).toEqual([]);
    expect(all.costOfSession).toBe(0.5);
  });

  it('has no cost before one is reported', () => {
    const { updates: all } = updates();
    expect([all.costOfSession, all.usage({})]).toEqual([undefined, undefined]);
  });
});

it.each([
  [cost(0.5), 0.5],
  [cost(0), 0],
  [cost(-1), undefined],
  [cost('1'), undefined],
  [cost(Number.POSITIVE_INFINITY), undefined],
  [cost(1, 'EUR'), undefined],
  [{ ...cost(1), sessionUpdate: 'plan' }, undefined],
  [{ sessionUpdate: 'usage_update' }, undefined],
])('the cost that %j reports is %j', (update, amount) => {
  expect(getCost(update)).toBe(amount);
});

it('the paths that a use names are those of its locations and of its input', () => {
  const rawInput = {
    file_path: 'a',
    filePath: 'b',
    absolute_path: 'c',
    path: 'd',
    dir_path: 'e',
    filepath: 'f',
    url: 'no path',
  };
  const locations = [{ path: 'g' }, { path: '' }, { line: 1 }, 'odd', { path: 'h' }];
  expect(namedPaths({ rawInput, locations })).toEqual(['g', 'h', 'a', 'b', 'c', 'd', 'e', 'f']);
  expect(namedPaths({})).toEqual([]);
});

it('only reading, searching and thinking only read', () => {
  const kinds = ['read', 'search', 'think', 'edit', 'delete', 'move', 'execute', 'fetch', 'other', ''];
  expect(kinds.filter(onlyReads)).toEqual(['read', 'search', 'think']);
});
