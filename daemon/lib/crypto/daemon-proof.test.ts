import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isLoopbackOrigin, isValidProof, OPERATOR_HEADER, operatorProof, parseDaemonFile } from './daemon-proof.js';

const FILE = { pid: 7, port: 8123, address: 'http://127.0.0.1:8123', secret: 's' };

describe('the file of a daemon', () => {
  it('is read as it is', () => {
    expect(parseDaemonFile(JSON.stringify(FILE))).toEqual(FILE);
  });

  it.each<[string, unknown]>([
    ['truncated', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a list', []],
    ['without a secret', { ...FILE, secret: undefined }],
    ['with a secret that is no text', { ...FILE, secret: 7 }],
    ['without a process', { ...FILE, pid: undefined }],
    ['with half a process', { ...FILE, pid: 7.5 }],
    ['without an address', { ...FILE, address: undefined }],
    ['of another host', { ...FILE, address: 'http://10.0.0.1:8123' }],
  ])('is not taken when it is %s', (_how, value) => {
    expect(parseDaemonFile(value === undefined ? '{"pid": 7, "addr' : JSON.stringify(value))).toBeUndefined();
  });
});

it.each([
  'http://127.0.0.1',
  'http://127.0.0.1:123456',
  'http://127.0.0.1:8123/',
  'http://127.0.0.1:8123@evil.example',
  'http://127a0.0.1:8123',
  'http://localhost:8123',
  'https://127.0.0.1:8123',
  'see http://127.0.0.1:8123',
  8123,
  ['http://127.0.0.1:8123'],
  undefined,
])('%j is no origin of a daemon', (address) => {
  expect(isLoopbackOrigin(address)).toBe(false);
});

describe('a proof', () => {
  const proof = createHmac('sha256', 'secret').update('nonce').digest('hex');

  it('holds for the secret and the nonce that it was computed from, and for no other', () => {
    expect(isValidProof('secret', 'nonce', proof)).toBe(true);
    expect(isValidProof('secret', 'other', proof)).toBe(false);
    expect(isValidProof('other', 'nonce', proof)).toBe(false);
  });

  it.each([undefined, '', 'nonce', proof.slice(2), `${proof}00`, `zz${proof}`])('is not %j', (given) => {
    expect(isValidProof('secret', 'nonce', given)).toBe(false);
  });

  it('of the operator is none that a caller gets for a nonce of its choice', () => {
    const operators = operatorProof('secret');
    expect(OPERATOR_HEADER).toBe('x-meshd-operator');
    expect(operators).toBe(createHmac('sha512', 'secret').update('operator').digest('hex'));
    expect(isValidProof('secret', 'operator', operators)).toBe(false);
  });
});
