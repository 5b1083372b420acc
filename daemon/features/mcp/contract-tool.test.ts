import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { createTool } from './contract-tool.js';
import type { McpCall } from './mcp-surface.js';
import { standaloneSchema } from './standalone-schema.js';

const Lamp = Type.Object({ watts: Type.Integer() }, { $id: 'Lamp' });
const Lamps = Type.Object({ lamps: Type.Array(Type.Ref('Lamp')) });
const CALL = {} as McpCall;

/** A tool whose result names the arguments that it ran with. */
const make = createTool({
  input: Type.Object(
    {
      name: Type.String({ minLength: 1 }),
      session: Type.Optional(Type.String({ minLength: 1 })),
      note: Type.Optional(Type.String()),
      other: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    },
    { additionalProperties: false },
  ),
  output: Lamps,
  named: [Lamp],
  words: ({ ran }: { ran: unknown }) => `Ran with ${JSON.stringify(ran)}.`,
});
const about = { name: 'light', title: 'Light', description: 'Lights it.', annotations: { readOnlyHint: true } };
const tool = make(about, (ran, call) => ({ ran, isCall: call === CALL }));

describe('A tool', () => {
  it('is defined by what is said about it and its schemas', () => {
    const { inputSchema, outputSchema, ...rest } = tool.definition;
    expect(rest).toEqual(about);
    expect(inputSchema).toMatchObject({ type: 'object', required: ['name'], additionalProperties: false });
    expect(outputSchema).toEqual({
      type: 'object',
      required: ['lamps'],
      properties: {
        lamps: {
          type: 'array',
          items: { type: 'object', required: ['watts'], properties: { watts: { type: 'integer' } } },
        },
      },
    });
  });

  it('returns its result as text and as data', async () => {
    expect(await tool.call({ name: 'a', note: '' }, CALL)).toEqual({
      content: [{ type: 'text', text: 'Ran with {"name":"a","note":""}.' }],
      structuredContent: { ran: { name: 'a', note: '' }, isCall: true },
    });
  });

  it.each([
    [{ name: 'a', session: null }, { name: 'a' }],
    [{ name: 'a', session: '' }, { name: 'a' }],
    [{ name: 'a', note: null }, { name: 'a' }],
    [
      { name: 'a', note: '' },
      { name: 'a', note: '' },
    ],
    [
      { name: 'a', other: null },
      { name: 'a', other: null },
    ],
    [{ name: 'a', other: '' }, { name: 'a' }],
    [
      { name: 'a', session: 'b', other: 0 },
      { name: 'a', session: 'b', other: 0 },
    ],
  ])('called with %j runs with %j', async (given, ran) => {
    expect((await tool.call(given, CALL)).structuredContent).toMatchObject({ ran });
  });

  it.each([
    [{}, 'bad_request', '"name" is required.', { path: 'name' }],
    [{ name: null }, 'bad_request', /^"name" (?!is required)/, { path: 'name' }],
    [{ name: '' }, 'bad_request', /^"name" (?!is required)/, { path: 'name' }],
    [{ name: 'a', session: 7 }, 'bad_request', /^"session" /, { path: 'session' }],
    [{ name: 'a', tier: 'gold' }, 'unknown_key', /^"tier" .*\.$/, { path: 'tier', key: 'tier' }],
    [{ name: 'a', tier: null }, 'unknown_key', /^"tier" .*\.$/, { path: 'tier', key: 'tier' }],
  ])('called with %j is refused as %s and does not run', async (given, code, message, details) => {
    let hasRun = false;
    const counting = make(about, () => {
      hasRun = true;
      return { ran: {} };
    });
    await expect(counting.call(given, CALL)).rejects.toMatchObject({
      ...{ code, details },
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
    expect(hasRun).toBe(false);
  });
});

it('names the arguments as a whole when no single one is wrong', async () => {
  const some = createTool({ input: Type.Object({}, { minProperties: 1 }), output: Lamp, words: () => '' });
  await expect(some(about, () => ({})).call({}, CALL)).rejects.toMatchObject({
    ...{ code: 'bad_request', details: { path: '' }, message: expect.stringMatching(/^The arguments .*\.$/) },
  });
});

describe('A schema that stands alone', () => {
  it('has the named schemas in place of references to them, with what is said at the reference', () => {
    const Room = Type.Object({ lamp: Type.Ref('Lamp', { description: 'Its lamp.' }) }, { $id: 'Room' });
    expect(standaloneSchema(Type.Array(Type.Ref('Room')), [Lamp, Room])).toEqual({
      type: 'array',
      items: {
        type: 'object',
        required: ['lamp'],
        properties: {
          lamp: {
            ...{ type: 'object', description: 'Its lamp.', required: ['watts'] },
            properties: { watts: { type: 'integer' } },
          },
        },
      },
    });
  });

  it('keeps null and lists, and cannot refer to a schema that has no such name', () => {
    expect(standaloneSchema({ type: 'null', enum: [null, 'a', 1] })).toEqual({ type: 'null', enum: [null, 'a', 1] });
    expect(() => standaloneSchema(Lamps)).toThrow('no schema is named Lamp');
  });
});
