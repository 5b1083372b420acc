import type { TextStreamPart, ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { collect } from '../../../testing/stand-ins/model-endpoint-client.js';
import type { TurnEvent } from '../client.js';
import { ENDED_EARLY } from './failure.js';
import type { ApiTool } from './tool.js';
import { ToolRuns } from './tool-runs.js';
import { turnEvents } from './turn-events.js';

const clock = new FakeClock();
const look: ApiTool = {
  name: 'look',
  description: '',
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  target: (input) => input.shown('at'),
  run: async () => '',
};

async function* streamOf(parts: readonly object[]): AsyncGenerator<TextStreamPart<ToolSet>> {
  for (const part of parts) {
    if ('wait' in part) clock.advance(Number(part.wait));
    else yield part as TextStreamPart<ToolSet>;
  }
}

const eventsOf = (...parts: object[]): Promise<TurnEvent[]> =>
  collect(turnEvents(streamOf(parts), { tools: [look], runs: new ToolRuns(clock) }));

const text = (words: string) => ({ type: 'text-delta', text: words });
const call = (toolCallId: string, more: object = {}) => ({
  ...{ type: 'tool-call', toolCallId, toolName: 'look', input: { at: 'a' } },
  ...more,
});
const gave = (toolCallId: string, output: unknown) => ({ type: 'tool-result', toolCallId, output });
const failed = (toolCallId: string, error: unknown) => ({ type: 'tool-error', toolCallId, error });
const step = (usage: object = {}, finishReason = 'stop', rawFinishReason: string | undefined = 'stop') => ({
  ...{ type: 'finish-step', usage, finishReason, rawFinishReason },
});
const finish = (finishReason = 'stop') => ({ type: 'finish', finishReason });
const words = (events: readonly TurnEvent[]) => events.flatMap((event) => (event.type === 'text' ? [event.text] : []));
const calls = (events: readonly TurnEvent[]) => events.flatMap((event) => (event.type === 'tool' ? [event.call] : []));
const usages = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));

describe('the text of a turn', () => {
  it('is that of its steps, with a paragraph between them', async () => {
    const parts = [step(), text('One '), text(''), text('two.'), step(), step(), text('Three.'), step(), finish()];
    expect(words(await eventsOf(...parts))).toEqual(['One ', 'two.', '\n\nThree.']);
  });

  it('may have 1 MiB, the paragraphs included', async () => {
    const most = text('x'.repeat(1024 * 1024));
    expect(words(await eventsOf(most, step(), finish()))).toHaveLength(1);
    const limit = 'The model said more than 1 MiB in one turn: it was stopped.';
    await expect(eventsOf(most, text('y'))).rejects.toThrow(limit);
    const nearly = text('x'.repeat(1024 * 1024 - 2));
    await expect(eventsOf(nearly, step(), text('y'))).rejects.toThrow(limit);
  });

  it('ends with a note where the model had no more room', async () => {
    expect(words(await eventsOf(text('Half'), step({}, 'length'), finish('length')))).toEqual([
      'Half',
      '\n\n[The answer is cut here: the model reached the end of its room.]',
    ]);
  });
});

describe('a turn without an answer', () => {
  const NONE = 'The model ended its turn without an answer: ask again, or choose another model.';

  it.each([
    ['no word', [step(), finish()], NONE],
    ['words of an earlier step only', [text('I look.'), step(), step(), finish()], NONE],
    ['no step', [text('Words.'), finish()], NONE],
    ['no end', [text('Words.'), step()], ENDED_EARLY],
    [
      'no room',
      [step({}, 'length'), finish('length')],
      'The model used all its room before it answered: choose one with more, or a lower effort.',
    ],
    [
      'a filter',
      [text('Words.'), step({}, 'content-filter'), finish()],
      'The provider refused to answer this (its content filter).',
    ],
    ['a stop', [text('Words.'), { type: 'abort' }], 'The turn was called off.'],
  ])('has %s, and says so', async (_what, parts, message) => {
    await expect(eventsOf(...parts)).rejects.toMatchObject({ name: 'TurnError', message });
  });

  it('has a step that was cut off, which names no reason of its own', async () => {
    const cut = { ...step({}, 'other'), rawFinishReason: undefined };
    await expect(eventsOf(text('Words.'), cut, finish())).rejects.toThrow(ENDED_EARLY);
    expect(words(await eventsOf(text('Words.'), step({}, 'other', 'odd'), finish('other')))).toEqual(['Words.']);
    const unnamed = { ...step({}, 'stop'), rawFinishReason: undefined };
    expect(words(await eventsOf(text('Words.'), unnamed, finish()))).toEqual(['Words.']);
  });

  it('throws the error of the stream', async () => {
    const error = new Error('broken');
    await expect(eventsOf(text('Words.'), { type: 'error', error })).rejects.toBe(error);
  });
});

describe('the uses of tools of a turn', () => {
  const answered = [text('Done.'), step(), finish()];

  it('are told as they begin and end, with their time', async () => {
    const events = await eventsOf(
      { type: 'start' },
      call('1'),
      { wait: 6.6 },
      gave('1', 'text'),
      call('2'),
      failed('2', new Error('no such file')),
      call('3'),
      failed('3', 'odd'),
      ...answered,
    );
    const used = { name: 'look', target: 'a' };
    expect(calls(events)).toEqual([
      { id: '1-1', ...used, state: 'running' },
      { id: '1-1', ...used, state: 'done', ms: 7, output: 'text' },
      { id: '1-2', ...used, state: 'running' },
      { id: '1-2', ...used, state: 'failed', ms: 0, output: 'no such file' },
      { id: '1-3', ...used, state: 'running' },
      { id: '1-3', ...used, state: 'failed', ms: 0, output: 'odd' },
    ]);
  });

  it('have ids of their step', async () => {
    const events = await eventsOf(call('1'), gave('1', 'x'), step(), call('1'), gave('1', 'y'), ...answered);
    expect(calls(events).map(({ id }) => id)).toEqual(['1-1', '1-1', '2-1', '2-1']);
  });

  it('that never began in this step are told without a target', async () => {
    const events = await eventsOf(call('1'), step(), { wait: 5 }, gave('1', 'x'), ...answered);
    expect(calls(events).at(-1)).toEqual({ id: '2-1', name: 'tool', target: '', state: 'done', ms: 0, output: 'x' });
  });

  it('of a tool that does not exist have no target', async () => {
    const events = await eventsOf(call('1', { toolName: 'launch' }), ...answered);
    expect(calls(events)).toEqual([{ id: '1-1', name: 'launch', target: '', state: 'running' }]);
  });

  it('hold no secret, and are cut', async () => {
    const secret = 'sk-ant-1234567890abcdef';
    const long = 'x'.repeat(3_000);
    const [begun, ended] = calls(
      await eventsOf(call(long, { input: { at: secret } }), gave(long, `${secret} ${long}`), ...answered),
    );
    expect([begun?.id, begun?.target]).toEqual([`1-${long}`.slice(0, 128), '[redacted]']);
    expect(ended?.output).toBe(`[redacted] ${long}`.slice(0, 2_000));
    expect(calls(await eventsOf(call('1', { toolName: long }), ...answered))[0]?.name).toBe(long.slice(0, 64));
    const [unknown] = calls(await eventsOf(gave(long, 'x'), ...answered));
    expect(unknown?.id).toBe(`1-${long}`.slice(0, 128));
  });
});

describe('the usage of a turn', () => {
  it('is the sum over the steps, told after each that reports any', async () => {
    const events = await eventsOf(
      step({ inputTokens: 10 }),
      step(),
      step({ outputTokens: 3 }),
      text('Done.'),
      step({ inputTokens: 5, outputTokens: 4 }),
      finish(),
    );
    expect(usages(events)).toEqual([
      { input_tokens: 10 },
      { input_tokens: 10, output_tokens: 3 },
      { input_tokens: 15, output_tokens: 7 },
    ]);
  });

  it('is told before a step is found to be cut off', async () => {
    const seen: TurnEvent[] = [];
    const parts = [text('Words.'), step({ inputTokens: 10 }, 'content-filter')];
    const run = async () => {
      for await (const event of turnEvents(streamOf(parts), { tools: [], runs: new ToolRuns(clock) })) seen.push(event);
    };
    await expect(run()).rejects.toThrow('content filter');
    expect(usages(seen)).toEqual([{ input_tokens: 10 }]);
  });

  it.each([
    [
      { outputTokens: 7, inputTokens: 10, raw: { total_tokens: 20 } },
      { input_tokens: 10, output_tokens: 10 },
    ],
    [{ outputTokens: 7, raw: { total_tokens: 20 } }, { output_tokens: 20 }],
    [
      { outputTokens: 7, inputTokens: 10, raw: { total_tokens: 17 } },
      { input_tokens: 10, output_tokens: 7 },
    ],
    [
      { outputTokens: 7, inputTokens: 10, raw: { total_tokens: '20' } },
      { input_tokens: 10, output_tokens: 7 },
    ],
    [
      { outputTokens: 7, inputTokens: 10, raw: { total_tokens: 20.5 } },
      { input_tokens: 10, output_tokens: 7 },
    ],
    [{ inputTokens: 10, raw: { total_tokens: 20 } }, { input_tokens: 10 }],
    [
      { inputTokens: 0, outputTokens: 0 },
      { input_tokens: 0, output_tokens: 0 },
    ],
    [{ inputTokens: -1, outputTokens: 1.5 }, {}],
    [{ inputTokens: Number.NaN, outputTokens: 2 }, { output_tokens: 2 }],
  ])('counts what only the total has among the output: %j', async (usage, taken) => {
    expect(usages(await eventsOf(text('Done.'), step(usage), finish()))).toEqual([taken]);
  });

  it('keeps what was counted where a later step reports nonsense', async () => {
    const events = await eventsOf(step({ inputTokens: 10 }), text('Done.'), step({ inputTokens: -1 }), finish());
    expect(usages(events)).toEqual([{ input_tokens: 10 }, { input_tokens: 10 }]);
  });
});
