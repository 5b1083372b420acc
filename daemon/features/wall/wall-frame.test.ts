import { describe, expect, it } from 'vitest';
import { readFrame } from './wall-frame.js';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('A frame of a member', () => {
  it.each<[string, string, object]>([
    ['a text', 'Is it open?', { to: null, payload: '"Is it open?"', text: 'Is it open?' }],
    ['a text with quotes', 'a "b"', { to: null, payload: '"a \\"b\\""', text: 'a "b"' }],
    ['a text of spaces', '  ', { to: null, payload: '"  "', text: '  ' }],
    ['a text that begins like an object', '{fog}', { to: null, payload: '"{fog}"', text: '{fog}' }],
    ['a text with an object in it', 'x {"payload":1}', { payload: '"x {\\"payload\\":1}"' }],
    ['a list that is the frame', nested(32), { to: null, payload: JSON.stringify(nested(32)), text: nested(32) }],
    ['a payload', '{"payload":"#a"}', { to: null, payload: '"#a"', text: '#a' }],
    ['a payload after spaces', ' \n{"payload": 7 }', { to: null, payload: '7', text: undefined }],
    ['a payload with a text', '{"payload":{"text":"#a"}}', { to: null, payload: '{"text":"#a"}', text: '#a' }],
    ['a payload with a text that is none', '{"payload":{"text":7}}', { payload: '{"text":7}', text: undefined }],
    ['a payload of null', '{"payload":null}', { to: null, payload: 'null', text: undefined }],
    ['a list', '{"payload":["#a"]}', { to: null, payload: '["#a"]', text: undefined }],
    ['an object with a type', ' {"type":"x","text":"#a"} ', { payload: '{"type":"x","text":"#a"}', text: '#a' }],
    ['an object with a type and no text', '{"type":1}', { to: null, payload: '{"type":1}', text: undefined }],
    ['an object without a type', '{"text":"#a"}', { payload: '"{\\"text\\":\\"#a\\"}"', text: '{"text":"#a"}' }],
    ['a direct message', '{"to":"ben","payload":1}', { to: 'ben', payload: '1' }],
    ['a direct message to several', '{"to":["ben","cay"],"payload":1}', { to: ['ben', 'cay'], payload: '1' }],
    ['a handle that is not composed', '{"to":["Jose\u0301"],"payload":1}', { to: ['José'] }],
    ['to beside a word like it', '{"to":"ben","too":1,"payload":1}', { to: 'ben', payload: '1' }],
    ['words that only hold one like to', '{"tomorrow":1,"into":2,"payload":3}', { to: null, payload: '3' }],
    ['a type with a recipient', '{"type":"x","recipient":"ben"}', { to: null }],
    ['32 levels', `{"payload":${nested(31)}}`, { to: null, payload: nested(31) }],
  ])('is read as meant: %s', (_what, frame, message) => {
    expect(readFrame(frame)).toMatchObject(message);
  });

  it('has at most a thousand recipients', () => {
    const to = Array.from({ length: 1000 }, (_, n) => `a${n}`);
    expect(readFrame(JSON.stringify({ to, payload: 1 })).to).toEqual(to);
  });

  it.each<[string, string, string]>([
    ['', '', 'The frame is empty: send a text or an object with a payload.'],
    ['33 levels', `{"payload":${nested(32)}}`, 'The frame is nested deeper than 32 levels.'],
    ['33 levels of a list', nested(33), 'The frame is nested deeper than 32 levels.'],
    ['33 levels of a type', `{"type":1,"x":${nested(32)}}`, 'The frame is nested deeper than 32 levels.'],
    ['to alone', '{"to":"ben"}', '"payload" is missing: say what to send.'],
    [
      ...(['to a number', '{"to":7,"payload":1}'] as const),
      '"to" must be a handle of 1 to 64 characters, or a list of them; leave it out to tell everyone.',
    ],
    [
      ...(['to nobody', '{"to":[],"payload":1}'] as const),
      '"to" is an empty list: name at least one handle, or leave it out to tell everyone.',
    ],
    [
      ...(['to 1,001', JSON.stringify({ to: Array(1001).fill('a'), payload: 1 })] as const),
      '"to" names 1001 handles: at most 1000 in one message.',
    ],
    [
      ...(['to one that is no handle', '{"to":["ben",""],"payload":1}'] as const),
      'Each of "to" must be a handle of 1 to 64 characters.',
    ],
  ])('is refused, and told why: %s', (_what, frame, message) => {
    expect(() => readFrame(frame)).toThrow(expect.objectContaining({ code: 'bad_request', message }));
  });

  it.each(['To', 'TO', 'too', 'tos', 'tooos', 'recipient', 'recipients', 'Recipients'])(
    'is told to nobody when its "%s" may be a mistyped "to"',
    (key) => {
      expect(() => readFrame(JSON.stringify({ [key]: 'ben', payload: 1 }))).toThrow(
        expect.objectContaining({
          code: 'bad_request',
          message: `"${key}" is not "to": nothing is told to everyone that may be meant for a few.`,
        }),
      );
    },
  );
});
