import { describe, expect, it } from 'vitest';
import { parsePayload, parseStreamPiece } from './wall-payload.js';

const PNG = { mime: 'image/png', b64: 'iVBORw0KGgo=' };

describe('saidIn', () => {
  it('returns a string as plain text', () => {
    expect(parsePayload('hello')).toEqual({ text: 'hello', media: [], data: undefined });
  });

  it('returns text and media of an object', () => {
    expect(parsePayload({ text: 'look', media: [PNG, { mime: 'text/html', url: 'https://a.example/' }] })).toEqual({
      text: 'look',
      media: [PNG, { mime: 'text/html', url: 'https://a.example/' }],
      data: undefined,
    });
    expect(parsePayload({ media: [PNG] })).toEqual({ text: '', media: [PNG], data: undefined });
    expect(parsePayload({ type: 'message', text: 'plain' }).data).toBeUndefined();
  });

  it('returns the text of a structured payload and the rest as data', () => {
    expect(parsePayload({ type: 'offer', text: 'A lamp', price: 3 })).toEqual({
      text: 'A lamp',
      media: [],
      data: JSON.stringify({ type: 'offer', price: 3 }, null, 2),
    });
  });

  it.each([[{ type: 'offer', price: 3 }], [[1, 2]], [null], [7], [{}]])('returns %j as data', (payload) => {
    expect(parsePayload(payload)).toEqual({ text: '', media: [], data: JSON.stringify(payload, null, 2) });
  });

  it.each([
    [[{ mime: 'image/png' }]],
    [[{ mime: 'image/png', b64: 'AA==', url: 'https://a.example/' }]],
    [[{ mime: '<img>', b64: 'AA==' }]],
    ['image.png'],
    [Array.from({ length: 17 }, () => PNG)],
  ])('returns invalid media as data: %j', (media) => {
    const content = parsePayload({ text: 'look', media });
    expect(content.media).toEqual([]);
    expect(content.data).toBe(JSON.stringify({ media }, null, 2));
  });
});

it('returns a file beside an item that is none, and its type without parameters', () => {
  const [clip, bad] = [{ mime: 'audio/webm;codecs=opus', b64: 'AA==' }, { mime: 'image/png' }];
  expect(parsePayload({ text: 'listen', media: [clip, bad] })).toEqual({
    text: 'listen',
    media: [{ mime: 'audio/webm', b64: 'AA==' }],
    data: JSON.stringify({ media: [bad] }, null, 2),
  });
});

describe('parseStreamPiece', () => {
  it('accepts a message with stream, seq and delta', () => {
    expect(parseStreamPiece({ type: 'message', stream: 's', seq: 0, delta: 'He' })).toEqual({
      stream: 's',
      seq: 0,
      delta: 'He',
      done: false,
    });
    expect(parseStreamPiece({ type: 'message', stream: 's', seq: 1, done: true })).toEqual({
      stream: 's',
      seq: 1,
      delta: '',
      done: true,
    });
  });

  it.each([
    ['hello'],
    [null],
    [{ type: 'message', text: 'whole' }],
    [{ type: 'note', stream: 's', seq: 0, delta: 'He' }],
    [{ type: 'message', stream: 7, seq: 0, delta: 'He' }],
    [{ type: 'message', stream: 's', seq: 0.5, delta: 'He' }],
    [{ type: 'message', stream: 's', seq: 0, delta: 7 }],
    [{ type: 'message', stream: 's', seq: 0 }],
  ])('rejects %j', (payload) => {
    expect(parseStreamPiece(payload)).toBeUndefined();
  });
});

describe('the limits of a payload', () => {
  it('are 16 files, a name of 200 characters, and a type in lower case', () => {
    const files = Array.from({ length: 16 }, () => PNG);
    expect(parsePayload({ media: files })).toEqual({ text: '', media: files, data: undefined });
    expect(parsePayload({ media: [...files, PNG] })).toMatchObject({ media: [], data: expect.any(String) });
    const named = { ...PNG, mime: 'Image/PNG', name: 'x'.repeat(201) };
    expect(parsePayload({ media: [named] }).media).toEqual([{ ...PNG, name: 'x'.repeat(200) }]);
  });

  it('are 200 characters for the id of a stream', () => {
    const piece = (length: number) => ({ type: 'message', stream: 's'.repeat(length), seq: 0, delta: 'x' });
    expect(parseStreamPiece(piece(200))).toEqual({ stream: 's'.repeat(200), seq: 0, delta: 'x', done: false });
    expect(parseStreamPiece(piece(201))).toBeUndefined();
  });
});
