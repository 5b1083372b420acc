import { describe, expect, it } from 'vitest';
import { createErrorFrame, parseFrame } from './hub-frame.js';

const frame = (value: unknown) => parseFrame(JSON.stringify(value));
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('A client frame', () => {
  it('of a connection holds the peer alone, whatever else it carries', () => {
    expect(frame({ type: 'connect_to', to: 'Horn_1', room_id: 7, payload: 1, ts: 2 })).toEqual({
      type: 'connect_to',
      to: 'Horn_1',
    });
  });

  it('of a message holds peer and payload, and the room only when one is named', () => {
    const message = { type: 'send', to: 'horn', payload: null };
    const parsed = frame({ ...message, ts: 2 });
    expect([parsed, 'room_id' in parsed]).toEqual([message, false]);
    expect(frame({ ...message, room_id: '' })).toEqual({ ...message, room_id: '' });
  });

  it('goes by its msg_type where it has a type as well', () => {
    expect(frame({ msg_type: 'connect_to', type: 'send', to: 'horn' })).toEqual({ type: 'connect_to', to: 'horn' });
    expect(() => frame({ msg_type: 'shout', type: 'send', to: 'horn', payload: 1 })).toThrow('connect_to or send');
  });

  it.each([
    ['no JSON', 'hello', '', 'A frame is a JSON object.'],
    ['null', 'null', '', 'A frame is a JSON object.'],
    ['a list', '[]', '', 'A frame is a JSON object.'],
    ['a text', '"send"', '', 'A frame is a JSON object.'],
    ['no kind', '{"to":"horn"}', 'msg_type', '"msg_type" (or "type") must be connect_to or send.'],
    ['an unknown kind', '{"type":"x","to":"horn"}', 'msg_type', '"msg_type" (or "type") must be connect_to or send.'],
    ['no peer', '{"type":"connect_to"}', 'to', '"to" must be an agent_id.'],
    ['a peer that is no id', '{"type":"connect_to","to":"a b"}', 'to', '"to" must be an agent_id.'],
    ['a peer in a list', '{"type":"connect_to","to":["horn"]}', 'to', '"to" must be an agent_id.'],
    ['no payload', '{"type":"send","to":"horn"}', 'payload', '"payload" is required.'],
    [
      'a room that is no text',
      '{"type":"send","to":"horn","payload":1,"room_id":1}',
      'room_id',
      '"room_id" must be the id of the room with that peer.',
    ],
  ])('is refused with its place and the reason when it is or has %s', (_name, text, path, message) => {
    expect(() => parseFrame(text)).toThrow(
      expect.objectContaining({ code: 'bad_request', message, details: { path } }),
    );
  });

  it('may be nested 32 levels deep and no deeper', () => {
    const text = (levels: number) => `{"type":"send","to":"horn","payload":${nested(levels)}}`;
    expect(parseFrame(text(31))).toMatchObject({ type: 'send' });
    expect(() => parseFrame(text(32))).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: 'The frame is nested deeper than 32 levels.',
        details: { path: '' },
      }),
    );
  });
});

it('an error frame carries the code, and the message for clients of either kind', () => {
  expect(createErrorFrame('not_found', 'No agent.')).toEqual({
    type: 'error',
    msg_type: 'error',
    error: 'not_found',
    message: 'No agent.',
    payload: { detail: 'No agent.' },
  });
});
