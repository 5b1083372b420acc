import { describe, expect, it } from 'vitest';
import { readFrame } from './claude-code-frames.js';

const read = (frame: object) => readFrame(JSON.stringify(frame));
const OTHER = { kind: 'other' };

it.each(['', 'Welcome!', '[]', '"text"', 'null', '{'])('the line %j is no frame', (line) => {
  expect(readFrame(line)).toBeUndefined();
});

it.each([[{}], [{ type: 'keep_alive' }], [{ type: 7 }]])('%j says nothing of the turn', (frame) => {
  expect(read(frame)).toEqual(OTHER);
});

describe('a frame of the system', () => {
  const init = { type: 'system', subtype: 'init', session_id: 's-1' };

  it.each([
    ['2.1.277', true],
    ['2.1.276', false],
    ['2.2.0', true],
    [undefined, false],
  ])('names the session, whose cost version %s keeps: %j', (claude_code_version, keepsCost) => {
    expect(read({ ...init, claude_code_version })).toEqual({ kind: 'session', session: 's-1', keepsCost });
  });

  it('without a session names none', () => {
    for (const session_id of ['', 7, undefined]) expect(read({ ...init, session_id })).toEqual(OTHER);
    expect(read({ ...init, subtype: 'status' })).toEqual(OTHER);
  });

  it.each([
    [[], false],
    [undefined, false],
    [[{}], true],
    [[{ ambient: false }], true],
    [[{ ambient: true }], false],
    [[{ ambient: true }, { ambient: 'true' }], true],
  ])('tells whether tasks besides its own housekeeping run: %j', (tasks, isAny) => {
    expect(read({ type: 'system', subtype: 'background_tasks_changed', tasks })).toEqual({ kind: 'background', isAny });
  });

  it('tells that a request is repeated', () => {
    const retry = { type: 'system', subtype: 'api_retry' };
    expect(read({ ...retry, attempt: 2, max_retries: 10, error: 'overloaded', error_status: 529 })).toEqual({
      ...{ kind: 'retry', attempt: 2, of: 10, error: 'overloaded', status: 529 },
    });
    expect(read({ ...retry, attempt: -1 })).toEqual({ kind: 'retry', attempt: 0, of: 0, error: '', status: undefined });
  });
});

describe('a frame of the stream', () => {
  const event = (body: object, more: object = {}) => read({ type: 'stream_event', event: body, ...more });
  const usage = { input_tokens: 1, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 7 };

  it('begins a message, with what it has taken', () => {
    expect(event({ type: 'message_start', message: { id: 'm-1', usage } })).toEqual({
      kind: 'message_start',
      id: 'm-1',
      usage: { input_tokens: 111, output_tokens: 7 },
    });
    expect(event({ type: 'message_start' })).toEqual({ kind: 'message_start', id: '', usage: {} });
  });

  it.each([
    [{ output_tokens: 7 }, { output_tokens: 7 }],
    [{ input_tokens: 0 }, { input_tokens: 0 }],
    [{ cache_read_input_tokens: 3 }, { input_tokens: 3 }],
    [{ cache_creation_input_tokens: 3, input_tokens: -1 }, { input_tokens: 3 }],
    [{ input_tokens: 1.5, output_tokens: '7' }, {}],
    [undefined, {}],
  ])('tells what was taken, and nothing that was not reported: %j', (reported, taken) => {
    expect(event({ type: 'message_delta', usage: reported })).toEqual({ kind: 'message_usage', usage: taken });
  });

  it('begins a block of text, not one of another type', () => {
    const start = (type: string) => event({ type: 'content_block_start', content_block: { type } });
    expect([start('text'), start('thinking'), start('tool_use')]).toEqual([{ kind: 'block_start' }, OTHER, OTHER]);
  });

  it('has a piece of text, not one of another type', () => {
    const delta = { type: 'text_delta', text: 'Words.' };
    expect(event({ type: 'content_block_delta', delta })).toEqual({ kind: 'text', text: 'Words.' });
    expect(event({ type: 'content_block_delta', delta: { ...delta, type: 'thinking_delta' } })).toEqual(OTHER);
    expect(event({ type: 'content_block_stop', delta })).toEqual(OTHER);
    expect(event({ type: 'content_block_delta', delta: { type: 'text_delta' } })).toEqual({ kind: 'text', text: '' });
  });

  it('of a subagent is not part of the answer', () => {
    const delta = { type: 'text_delta', text: 'Words.' };
    const body = { type: 'content_block_delta', delta };
    expect(event(body, { parent_tool_use_id: 'tool-1' })).toEqual(OTHER);
    expect(event(body, { parent_tool_use_id: null })).toEqual({ kind: 'text', text: 'Words.' });
  });
});

describe('a frame of a message', () => {
  const message = {
    id: 'm-1',
    content: [
      { type: 'text', text: 'One.' },
      { type: 'thinking', text: 'Hm.', id: 'no tool' },
      { type: 'tool_use', id: 't-1', name: 'Read', input: { file_path: 'a.md' } },
      { type: 'tool_use', id: '', name: 'Read' },
      { type: 'tool_use', name: 'Read' },
      { type: 'text', text: 'Two.' },
      'odd',
    ],
    usage: { input_tokens: 3 },
  };

  it('has its texts, its uses of tools and what it took', () => {
    expect(read({ type: 'assistant', message })).toEqual({
      kind: 'said',
      id: 'm-1',
      isNested: false,
      usage: { input_tokens: 3 },
      texts: ['One.', 'Two.'],
      tools: [{ id: 't-1', name: 'Read', target: 'a.md' }],
    });
  });

  it('of a subagent is nested', () => {
    expect(read({ type: 'assistant', message, parent_tool_use_id: 't-0' })).toMatchObject({ isNested: true });
  });

  it('that the program made up itself has no text: its result repeats it', () => {
    expect(read({ type: 'assistant', message: { ...message, model: '<synthetic>' } })).toMatchObject({ texts: [] });
    expect(read({ type: 'assistant', message: { ...message, model: 'opus' } })).toMatchObject({
      texts: ['One.', 'Two.'],
    });
  });

  it('without a content is empty', () => {
    expect(read({ type: 'assistant' })).toEqual({
      ...{ kind: 'said', id: '', isNested: false, usage: {}, texts: [], tools: [] },
    });
  });
});

describe('a frame of results', () => {
  const results = (...content: unknown[]) => read({ type: 'user', message: { content } });

  it('has the output of each use, as a text or as blocks', () => {
    const blocks = [{ type: 'text', text: 'one' }, { type: 'image' }, 'odd', { type: 'text', text: 'two' }];
    expect(
      results(
        { type: 'tool_result', tool_use_id: 't-1', content: 'text' },
        { type: 'tool_result', tool_use_id: 't-2', content: blocks, is_error: true },
        { type: 'tool_result', tool_use_id: 't-3', is_error: 'true' },
      ),
    ).toEqual({
      kind: 'results',
      results: [
        { id: 't-1', isError: false, output: 'text' },
        { id: 't-2', isError: true, output: 'one\ntwo' },
        { id: 't-3', isError: false, output: '' },
      ],
    });
  });

  it('has none of other blocks, and of results of no use', () => {
    expect(results({ type: 'text', tool_use_id: 't-1' }, { type: 'tool_result', tool_use_id: '' }, 'odd')).toEqual(
      OTHER,
    );
    expect(read({ type: 'user', message: { content: 'Words.' } })).toEqual(OTHER);
  });
});

describe('a frame of a request', () => {
  const question = (request: object) => read({ type: 'control_request', request_id: 'r-1', request });
  const asked = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'make', description: 'Builds.' } };

  it('asks for a permission', () => {
    expect(question(asked)).toEqual({
      kind: 'question',
      request: 'r-1',
      tool: 'Bash',
      target: 'make',
      reason: 'Builds.',
      input: asked.input,
    });
  });

  it.each([
    [{ decision_reason: 'A rule.', description: 'To build.' }, 'A rule.'],
    [{ description: 'To build.' }, 'To build.'],
    [{ input: {} }, ''],
  ])('has the reason that is nearest: %j', (more, reason) => {
    expect(question({ ...asked, ...more })).toMatchObject({ reason });
  });

  it('of another type asks for none', () => {
    expect(question({ ...asked, subtype: 'hook_callback' })).toEqual(OTHER);
  });
});

it.each([
  'file_path',
  'notebook_path',
  'command',
  'pattern',
  'url',
  'query',
  'description',
  'path',
  'subject',
  'task_id',
  'member',
])('the target of a use is its %s, where no field before it is set', (field) => {
  const fields = ['file_path', 'notebook_path', 'command', 'pattern', 'url', 'query', 'description'];
  const all = [...fields, 'path', 'subject', 'task_id', 'member'];
  const later = all.slice(all.indexOf(field) + 1).map((name) => [name, 'later']);
  const earlier = all.slice(0, all.indexOf(field)).map((name, index) => [name, index % 2 === 0 ? '' : 7]);
  const input = Object.fromEntries([...later, ...earlier, [field, 'this']]);
  const tool = { type: 'tool_use', id: 't-1', name: 'Tool', input };
  expect(read({ type: 'assistant', message: { content: [tool] } })).toMatchObject({ tools: [{ target: 'this' }] });
});

describe('a frame of the result', () => {
  const result = (more: object) => read({ type: 'result', subtype: 'success', ...more });

  it('has the last words, what was taken and what it cost', () => {
    expect(result({ result: 'Done.', usage: { output_tokens: 7 }, total_cost_usd: 0.5 })).toEqual({
      kind: 'result',
      isError: false,
      message: 'Done.',
      usage: { output_tokens: 7, cost_usd: 0.5 },
    });
  });

  it.each([
    [{}, false],
    [{ subtype: undefined }, false],
    [{ is_error: true }, true],
    [{ is_error: 'true' }, false],
    [{ subtype: 'error_max_turns' }, true],
  ])('is an error or not: %j', (more, isError) => {
    expect(result(more)).toMatchObject({ isError });
  });

  it.each([
    [{ errors: ['One.', '', 7, 'Two.'], result: 'Words.' }, 'One. Two.'],
    [{ errors: [], result: 'Words.' }, 'Words.'],
    [{}, 'success'],
    [{ subtype: undefined }, ''],
  ])('says first what went wrong: %j', (more, message) => {
    expect(result(more)).toMatchObject({ message });
  });

  it.each([
    [0, { cost_usd: 0 }],
    [-1, {}],
    ['1', {}],
    [null, {}],
  ])('has a cost only where it is one: %j', (total_cost_usd, usage) => {
    expect(result({ total_cost_usd })).toMatchObject({ usage });
    expect(Object.keys((result({ total_cost_usd }) as { usage: object }).usage)).toEqual(Object.keys(usage));
  });

  it('has no cost that is beyond counting', () => {
    expect(readFrame('{"type":"result","subtype":"success","total_cost_usd":1e999}')).toMatchObject({ usage: {} });
    expect(JSON.stringify(readFrame('{"type":"result","total_cost_usd":1e999}'))).not.toContain('cost_usd');
  });
});
