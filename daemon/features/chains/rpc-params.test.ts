import { describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import {
  addressParam,
  choiceParam,
  integerParam,
  listParam,
  optionsParam,
  signatureParam,
  textParam,
} from './rpc-params.js';

const ADDRESS = encodeBase58(Buffer.alloc(32, 7));
const SIGNATURE = encodeBase58(Buffer.alloc(64, 7));
const limit = (value: unknown) => integerParam(value, 'limit', 1, 10);
const list = (value: unknown) => listParam(value, 'signatures', 2);
const encoding = (value: unknown) => choiceParam(value, 'encoding', ['json', 'base64']);

describe('the parameters of a call', () => {
  it.each<[read: (value: unknown) => unknown, value: unknown, result?: unknown]>([
    [addressParam, ADDRESS],
    [signatureParam, SIGNATURE],
    [limit, 1],
    [limit, 10],
    [(value) => textParam(value, 'message'), ''],
    [list, []],
    [list, ['a', 7]],
    [optionsParam, { a: 1 }],
    [optionsParam, undefined, {}],
    [optionsParam, null, {}],
    [encoding, 'json'],
    [encoding, 'base64'],
    [encoding, undefined, 'json'],
    [encoding, null, 'json'],
  ])('are read, %s: %j', (read, value, result = value) => {
    expect(read(value)).toEqual(result);
  });

  const wholeNumber = 'limit must be a whole number from 1 to 10.';
  const short = 'signatures must be a list of at most 2.';
  const object = 'options must be an object.';
  const choice = 'encoding must be one of json, base64 on the local network.';
  it.each<[read: (value: unknown) => unknown, value: unknown, message: string]>([
    [addressParam, SIGNATURE, 'an address must be the base58 of 32 bytes.'],
    [signatureParam, ADDRESS, 'a signature must be the base58 of 64 bytes.'],
    [limit, 0, wholeNumber],
    [limit, 11, wholeNumber],
    [limit, 1.5, wholeNumber],
    [limit, '5', wholeNumber],
    [limit, undefined, wholeNumber],
    [(value) => textParam(value, 'message'), 7, 'message must be a string.'],
    [list, [1, 2, 3], short],
    [list, 'ab', short],
    [optionsParam, [], object],
    [optionsParam, 'json', object],
    [encoding, 'hex', choice],
    [encoding, 7, choice],
  ])('are refused with what is expected, %s: %j', (read, value, message) => {
    expect(() => read(value)).toThrow(
      expect.objectContaining({ name: 'RpcError', code: -32602, message: `Invalid params: ${message}` }),
    );
  });
});
