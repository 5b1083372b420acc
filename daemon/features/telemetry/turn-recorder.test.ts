import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../contract/conversations.js';
import type { TurnChange } from '../conversations/turn-change.js';
import { ToolTimes, toContent } from './tool-times.js';
import { TurnRecorder } from './turn-recorder.js';

type Ended = Extract<TurnChange, { kind: 'ended' }>;
type Parts = ConstructorParameters<typeof TurnRecorder>[0];

/** A secret of the shape that is redacted, put together so that no scanner finds it here. */
const SECRET = ['ghp', '0123456789abcdefghijABCDEFGHIJ012345'].join('_');
const CHARS_MAX = 4_096;

const ROW = { conv: 'c-1', client: 'acp', model: 'large', created_ms: 1, started_ms: 2, text: 'Why?' };
const ENDING = { outcome: 'answered', code: null, usage: { input_tokens: 5 }, finished_ms: 9, reason: null };
const anAsk = (id: string, traceparent?: string) =>
  ({ request_id: id, caller: { user_agent: `${id}/1 x`, traceparent } }) as unknown as ReturnType<Parts['findAsk']>;

function record(parts: Partial<Parts> = {}, change: object = {}, isWithContent = false) {
  const recorder = new TurnRecorder({
    findTurn: () => ROW as ReturnType<Parts['findTurn']>,
    findAsk: () => undefined,
    findParent: () => undefined,
    findAgent: () => undefined,
    ...parts,
  });
  const ended = { kind: 'ended', turn: { turn: 't-1' }, ending: ENDING, ...change } as unknown as Ended;
  return recorder.record(ended, isWithContent);
}

describe('the record of a turn', () => {
  it('has what its rows and its ending tell', () => {
    expect(record()).toEqual({
      ...{ turn: 't-1', conv: 'c-1', agent: { id: '', name: '' }, client: 'acp', model: 'large' },
      ...{ createdMs: 1, startedMs: 2, finishedMs: 9, outcome: 'answered', code: null, usage: { input_tokens: 5 } },
      ...{ root: 't-1', parent: undefined, traceparent: undefined, ask: undefined, tools: [] },
    });
  });

  it('has no parent where no turn waits for it', () => {
    expect(record({ findParent: () => null })).toMatchObject({ parent: undefined, root: 't-1' });
  });

  it('is none when the turn is gone', () => {
    expect(record({ findTurn: () => undefined })).toBeUndefined();
  });

  it('names the member that ran, or else who runs in it', () => {
    const findAgent = () => ({ id: 'two', name: 'Two' });
    const runnable = { member: { id: 'one', name: 'One' } };
    expect(record({ findAgent }, { runnable })?.agent).toEqual({ id: 'one', name: 'One' });
    expect(record({ findAgent })?.agent).toEqual({ id: 'two', name: 'Two' });
  });

  it('has texts only with content, without secrets', () => {
    const change = { answer: { text: `So ${SECRET}.` }, ending: { ...ENDING, reason: 'It broke.' } };
    expect(record({}, change)?.content).toBeUndefined();
    expect(record({}, change, true)?.content).toEqual({
      ...{ question: 'Why?', answer: 'So [redacted].', reason: 'It broke.' },
    });
    expect(record({}, {}, true)?.content).toEqual({ question: 'Why?', answer: '', reason: '' });
  });

  it('has the ask that it answers, with the name of the caller and the header', () => {
    const { ask, traceparent } = record({ findAsk: () => anAsk('ci', 'header') }) ?? {};
    expect([ask, traceparent]).toEqual([{ id: 'ci', caller: 'ci/1' }, 'header']);
  });

  it('has the first turn of its chain, and the header of the caller there', () => {
    const above: Record<string, string> = { 't-1': 't-2', 't-2': 't-3' };
    const asks: Record<string, ReturnType<Parts['findAsk']>> = {
      't-1': anAsk('own', 'own'),
      't-3': anAsk('first', 'first'),
    };
    const found = record({ findParent: (turn) => above[turn] ?? null, findAsk: (turn) => asks[turn] });
    expect([found?.root, found?.parent, found?.traceparent, found?.ask?.id]).toEqual(['t-3', 't-2', 'first', 'own']);
    expect(record({ findParent: (turn) => above[turn], findAsk: () => undefined })?.traceparent).toBeUndefined();
  });

  it('follows a chain of eight at most', () => {
    const links: string[] = [];
    const found = record({
      findParent: (turn) => {
        links.push(turn);
        return `${turn}+`;
      },
    });
    expect(found?.root).toBe(`t-1${'+'.repeat(8)}`);
    expect(links).toHaveLength(9);
  });
});

describe('the tool calls of a turn', () => {
  const aCall = (over: Partial<ToolCall> = {}) =>
    ({ id: 'c', name: 'Read', target: 'src', state: 'running', ...over }) as ToolCall;

  it('have the time from their first report to their last', () => {
    const tools = new ToolTimes();
    tools.add('t', aCall(), 100, false);
    tools.add('t', aCall({ id: 'd', name: 'Bash', state: 'failed', ms: 40 }), 150, false);
    tools.add('t', aCall({ state: 'done', ms: 7, output: 'text' }), 180, false);
    expect(tools.take('t')).toEqual([
      { id: 'c', name: 'Read', startedMs: 100, finishedMs: 180, isFailed: false },
      { id: 'd', name: 'Bash', startedMs: 110, finishedMs: 150, isFailed: true },
    ]);
    expect(tools.take('t')).toEqual([]);
  });

  it('have texts with content', () => {
    const tools = new ToolTimes();
    tools.add('t', aCall({ target: `src/${SECRET}` }), 1, true);
    tools.add('t', aCall({ id: 'd', output: 'text' }), 1, true);
    expect(tools.take('t').map(({ input, output }) => [input, output])).toEqual([
      ['src/[redacted]', ''],
      ['src', 'text'],
    ]);
  });

  it('are kept for 64 turns, 256 of each', () => {
    const tools = new ToolTimes();
    for (let turn = 0; turn < 65; turn += 1) tools.add(`t${turn}`, aCall(), 1, false);
    tools.add('t1', aCall({ state: 'done' }), 2, false);
    expect(['t0', 't1', 't64'].map((turn) => tools.take(turn).length)).toEqual([0, 1, 1]);
    for (let call = 0; call < 300; call += 1) tools.add('t', aCall({ id: `c${call}` }), 1, false);
    tools.add('t', aCall({ id: 'c0', state: 'failed' }), 5, false);
    const calls = tools.take('t');
    expect([calls.length, calls[0]?.finishedMs, calls[0]?.isFailed, calls.at(-1)?.id]).toEqual([256, 5, true, 'c255']);
  });

  it('are forgotten all at once', () => {
    const tools = new ToolTimes();
    tools.add('t', aCall(), 1, false);
    tools.clear();
    expect(tools.take('t')).toEqual([]);
  });
});

describe('a text of content', () => {
  it('is cut at 4,096 characters', () => {
    expect(toContent('k'.repeat(CHARS_MAX + 1))).toBe('k'.repeat(CHARS_MAX));
    expect(toContent('k'.repeat(CHARS_MAX))).toHaveLength(CHARS_MAX);
    expect(toContent(`k${'😀'.repeat(CHARS_MAX)}`)).toMatch(/^k(😀)+\u{FFFD}$/u);
  });

  it('has no secret that stands across the cut', () => {
    const text = toContent(`${'k '.repeat((CHARS_MAX - 20) / 2)}${SECRET}`);
    expect(text).not.toContain(SECRET.slice(0, 12));
  });

  it('is read for secrets as far as four times its length', () => {
    const secrets = `${SECRET} `.repeat(700);
    expect(toContent(secrets)).toBe('[redacted] '.repeat(442).slice(0, toContent(secrets).length));
    expect(toContent(secrets).length).toBe(CHARS_MAX);
  });
});
