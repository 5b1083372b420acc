import type { Message, Part } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { messageQuestion, takesOurModes } from './message-question.js';

const part = (content: Part['content'], facts: Partial<Part> = {}): Part => ({
  ...{ content, metadata: undefined, filename: '', mediaType: '' },
  ...facts,
});
const text = (value: string, filename = '') => part({ $case: 'text', value }, { filename });
const data = (value: unknown, filename = '') => part({ $case: 'data', value }, { filename });
const raw = (bytes: string | number[], mediaType = '', filename = '') =>
  part({ $case: 'raw', value: Buffer.from(bytes as string) }, { mediaType, filename });
const ask = (...parts: Part[]) => messageQuestion({ parts } as Message);
const refused = (code: string, message: unknown) =>
  expect.objectContaining({ code, message, ...(code === 'bad_request' ? { details: { path: 'message.parts' } } : {}) });

describe('the question in a message', () => {
  it('is its texts, with what else it has as documents', () => {
    expect(ask(text(' Why? '), text('And how?'))).toEqual({ text: 'Why? \n\nAnd how?' });
    expect(ask(data({ a: 1 }), text('Why?'), text('x', 'notes.txt'), raw('y'), raw('z', '', 'z.md'))).toEqual({
      text: 'Why?',
      context_docs: [
        { filename: 'data-1.json', content: '{\n  "a": 1\n}' },
        { filename: 'notes.txt', content: 'x' },
        { filename: 'file-3.txt', content: 'y' },
        { filename: 'z.md', content: 'z' },
      ],
    });
  });

  it('without a text stands in its documents', () => {
    expect(ask(data(undefined, 'q.json'), text('x', 'notes.txt'))).toEqual({
      text: 'The question is in q.json, notes.txt.',
      context_docs: [
        { filename: 'q.json', content: 'null' },
        { filename: 'notes.txt', content: 'x' },
      ],
    });
  });

  it('is refused when it says nothing, or has a part without content', () => {
    expect(() => ask(text(' '))).toThrow(refused('bad_request', 'The message says nothing: give it a text part.'));
    expect(() => ask(part(undefined))).toThrow(refused('bad_request', 'Every part needs one of text, data or raw.'));
  });

  it('has at most 16,384 characters and eight documents', () => {
    expect(ask(text('x'.repeat(16_384))).text).toHaveLength(16_384);
    expect(() => ask(text('x'.repeat(16_385)))).toThrow(
      refused(
        'bad_request',
        'The text of the message is longer than 16384 characters: send the rest as a file or data part.',
      ),
    );
    const documents = (count: number) => Array.from({ length: count }, () => data(1));
    expect(ask(...documents(8)).context_docs).toHaveLength(8);
    expect(() => ask(...documents(9))).toThrow(
      refused('bad_request', 'A message takes at most 8 parts beside its text; this one has 9.'),
    );
  });

  it('has documents of at most 64 KiB, and names of at most 255 characters', () => {
    const name = 'n'.repeat(300);
    expect(ask(text('é'.repeat(32_768), name)).context_docs?.[0]?.filename).toBe('n'.repeat(255));
    expect(() => ask(text(`${'é'.repeat(32_768)}x`, name))).toThrow(
      refused('bad_request', `${'n'.repeat(80)} is larger than 65536 bytes.`),
    );
  });

  it('has no file by address', () => {
    expect(() => ask(text('Why?'), part({ $case: 'url', value: 'https://a.example' }))).toThrow(
      refused('unsupported_media_type', 'Files by address are not fetched: send their content as text, data or raw.'),
    );
  });

  it.each([
    ...[
      '',
      'text/plain',
      'text/x-c',
      'application/json; charset=utf-8',
      'TEXT/HTML',
      ' application/json ',
      'application/octet-stream',
    ],
    ...['application/xml', 'application/yaml', 'application/x-yaml', 'application/toml', 'application/sql'],
    ...['application/graphql', 'application/javascript', 'application/typescript', 'application/x-sh'],
    ...['application/x-ndjson', 'application/ld+json', 'image/svg+xml'.replace('image', 'application')],
  ])('reads a file of the type `%s`', (mediaType) => {
    expect(ask(raw('So.', mediaType)).context_docs?.[0]?.content).toBe('So.');
  });

  it.each(['image/png', 'application/pdf', 'xtext/plain', 'text/', 'application/jsonx', 'application/+json', 'x'])(
    'reads no file of the type `%s`',
    (mediaType) => {
      const message = `Only text is read; this file (${mediaType}) is not.`;
      expect(() => ask(raw('So.', mediaType))).toThrow(refused('unsupported_media_type', message));
    },
  );

  it('reads no bytes that are not text', () => {
    for (const bytes of [
      [0xff, 0xfe],
      [0x41, 0],
    ])
      expect(() => ask(raw(bytes))).toThrow(refused('unsupported_media_type', 'Only text is read; this file is not.'));
    expect(() => ask(raw([0xff], 'text/plain'))).toThrow('Only text is read; this file (text/plain) is not.');
    const long = `image/${'x'.repeat(100)}`;
    expect(() => ask(raw('x', long))).toThrow(`this file (${long.slice(0, 80)}) is not.`);
  });
});

describe('the answers that a caller takes', () => {
  it.each([
    [[], true],
    ...['*/*', '*', 'text', 'data', 'text/*', 'application/*', 'text/markdown', 'application/json'].map(
      (mode) => [[mode], true] as const,
    ),
    [['image/png'], false],
    [['image/png', ' TEXT/Markdown; q=1'], true],
    [[''], false],
  ] as const)('as %j are ours: %s', (accepted, expected) => {
    expect(takesOurModes(accepted, ['application/json'])).toBe(expected);
  });
});
