import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  NETWORK_FRAME_BYTES_MAX,
  NETWORK_REQUEST_BYTES_MAX,
  type NetworkFrame,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { idOf, newKey } from '../../../testing/network-samples.js';
import { toSignedText } from '../signed-text.js';
import { askSubject, readFrame, readRequest, signFrame, signRequest } from './signed-messages.js';

const NETWORK = 'docks';
const key = newKey();
const request: NetworkRequest = {
  ...{ v: 1, id: randomUUID(), at: 1_800_000_000_000, key: idOf(key), to: idOf(newKey()), member: 'consultant' },
  ...{ reply: '_INBOX.abc', body: { kind: 'ask', text: 'Which port?' } },
};
const frame: NetworkFrame = { v: 1, re: request.id, seq: 0, body: { kind: 'delta', text: 'Port 7.' } };
const bytes = (text: string) => Buffer.from(text);
const signed = (content: unknown, sign = key, purpose: 'request' | 'answer' = 'request') => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return bytes(JSON.stringify({ text, sig: sign.sign(toSignedText(purpose, NETWORK, text)) }));
};

it('names the daemon and its member in the subject', () => {
  expect(askSubject('docks', 'KEY', 'consultant')).toBe('m.docks.ask.KEY.consultant');
});

describe('A request', () => {
  it('is read as it was signed, in its own network', () => {
    const message = bytes(signRequest(key, NETWORK, request));
    expect(readRequest(NETWORK, message)).toEqual(request);
    expect(readRequest('quays', message)).toBeUndefined();
  });

  it.each<[string, () => Buffer]>([
    ['signed by another key', () => signed(request, newKey())],
    ['signed for another purpose', () => signed(request, key, 'answer')],
    ['changed after it was signed', () => bytes(signed(request).toString().replace('Which', 'What '))],
    ['with a field that is not known', () => signed({ ...request, more: 1 })],
    ['without a field', () => signed({ ...request, member: undefined })],
    ['of another version', () => signed({ ...request, v: 2 })],
    ['that is no JSON', () => signed('{')],
    ['nested deeper than 32 levels', () => signed({ ...request, body: JSON.parse('['.repeat(40) + ']'.repeat(40)) })],
    ['whose message has a further field', () => bytes(signed(request).toString().replace('{', '{"more":1,'))],
    ['whose message is no JSON', () => bytes('no')],
    ['whose message is not UTF-8', () => Buffer.concat([signed(request), Buffer.from([0xff])])],
    [
      'that is too large',
      () => signed({ ...request, body: { kind: 'ask', text: 'x'.repeat(NETWORK_REQUEST_BYTES_MAX) } }),
    ],
  ])('%s is not read', (_what, make) => {
    expect(readRequest(NETWORK, make())).toBeUndefined();
  });

  it('is read up to its size in bytes, whatever follows its JSON', () => {
    const message = bytes(signRequest(key, NETWORK, request));
    const padded = (length: number) => Buffer.concat([message, Buffer.alloc(length - message.length, ' ')]);
    expect(readRequest(NETWORK, padded(NETWORK_REQUEST_BYTES_MAX))).toEqual(request);
    expect(readRequest(NETWORK, padded(NETWORK_REQUEST_BYTES_MAX + 1))).toBeUndefined();
  });
});

describe('A frame of an answer', () => {
  it('is read when the daemon that was asked signed it, in its own network', () => {
    const message = bytes(signFrame(key, NETWORK, frame));
    expect(readFrame(NETWORK, idOf(key), message)).toEqual(frame);
    expect(readFrame(NETWORK, idOf(newKey()), message)).toBeUndefined();
    expect(readFrame('quays', idOf(key), message)).toBeUndefined();
  });

  it.each<[string, () => Buffer]>([
    ['signed as a request', () => signed(frame)],
    ['that has another form', () => signed({ ...frame, body: { kind: 'delta' } }, key, 'answer')],
  ])('%s is not read', (_what, make) => {
    expect(readFrame(NETWORK, idOf(key), make())).toBeUndefined();
  });

  it('is read up to its size in bytes', () => {
    const message = bytes(signFrame(key, NETWORK, frame));
    const padded = (length: number) => Buffer.concat([message, Buffer.alloc(length - message.length, ' ')]);
    expect(readFrame(NETWORK, idOf(key), padded(NETWORK_FRAME_BYTES_MAX))).toEqual(frame);
    expect(readFrame(NETWORK, idOf(key), padded(NETWORK_FRAME_BYTES_MAX + 1))).toBeUndefined();
  });
});
