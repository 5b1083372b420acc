import { expect, it } from 'vitest';
import { PEER_MESSAGE_BYTES_MAX, type PeerMessage } from '../../../contract/shared/peer-frames.js';
import { idOf, newKey } from '../../../testing/network-samples.js';
import { toSignedText } from '../signed-text.js';
import { openMessage, sealMessage } from './sealed-message.js';

const SUBJECT = 'm.docks.wall.c_1.KEY';
const key = newKey();
const message: PeerMessage = { session: 'A'.repeat(22), seq: 1, content: { text: 'Grüße 🦊' } };
const sealed = (text: string, subject = SUBJECT, sign = key) =>
  Buffer.concat([sign.signBytes(Buffer.from(toSignedText('frames', subject, text))), Buffer.from(text)]);

it('is opened as it was sealed, also out of a larger buffer', () => {
  const bytes = sealMessage(key, SUBJECT, message);
  expect(openMessage(idOf(key), SUBJECT, bytes)).toEqual(message);
  const within = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(9)]).subarray(7, 7 + bytes.length);
  expect(openMessage(idOf(key), SUBJECT, within)).toEqual(message);
});

it.each<[string, () => Uint8Array, string]>([
  ['sealed for another subject', () => sealMessage(key, `${SUBJECT}2`, message), 'signature'],
  ['sealed by another key', () => sealMessage(newKey(), SUBJECT, message), 'signature'],
  ['changed afterwards', () => sealMessage(key, SUBJECT, message).fill('!', 70), 'signature'],
  ['no more than a signature', () => sealMessage(key, SUBJECT, message).subarray(0, 64), 'form'],
  ['nothing', () => new Uint8Array(), 'form'],
  ['signed, and no JSON', () => sealed('{'), 'form'],
  ['cut within a character', () => sealed('"\u00ff"').subarray(0, -2), 'signature'],
  ['signed, and of another form', () => sealed(JSON.stringify({ ...message, seq: 0 })), 'form'],
  ['signed, and with a further field', () => sealed(JSON.stringify({ ...message, more: 1 })), 'form'],
  ['signed, and nested too deep', () => sealed(JSON.stringify({ ...message, content: [[[[[[]]]]]] })), 'form'],
])('is dropped when it is %s', (_what, make, reason) => {
  expect(openMessage(idOf(key), SUBJECT, make())).toBe(reason);
});

it('may have five levels below itself, and so many bytes', () => {
  const deep = { ...message, content: [[[[[]]]]] };
  expect(openMessage(idOf(key), SUBJECT, sealMessage(key, SUBJECT, deep))).toEqual(deep);
  const text = JSON.stringify(message);
  const padded = (length: number) => sealed(text + ' '.repeat(length - 64 - Buffer.byteLength(text)));
  expect(openMessage(idOf(key), SUBJECT, padded(PEER_MESSAGE_BYTES_MAX))).toEqual(message);
  expect(openMessage(idOf(key), SUBJECT, padded(PEER_MESSAGE_BYTES_MAX + 1))).toBe('size');
});
