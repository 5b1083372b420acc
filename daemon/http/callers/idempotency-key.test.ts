import { expect, it } from 'vitest';
import type { AnyRequest } from '../route-types.js';
import { parseIdempotencyKey } from './idempotency-key.js';

const read = (key: string | string[] | undefined, body?: unknown) =>
  parseIdempotencyKey({ headers: { 'idempotency-key': key }, body } as unknown as AnyRequest, 'calls');

it.each(['k', 'a key of ~ 1', 'x'.repeat(128)])('takes the key %j', (key) => {
  expect(read(key)).toMatchObject({ scope: 'calls', key });
});

it.each(['', 'x'.repeat(129), 'a\tb', 'ä', ['a', 'b']])('refuses the key %j', (key) => {
  expect(() => read(key as string)).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      message: 'Idempotency-Key must be 1 to 128 printable characters.',
      details: { path: 'Idempotency-Key' },
    }),
  );
});

it('tells bodies apart by their content, whatever the order of their keys', () => {
  const digest = (body: unknown) => read('k', body)?.body_sha256;
  expect(digest({ a: 1, b: 2 })).toBe(digest({ b: 2, a: 1 }));
  expect(digest({ a: 1 })).not.toBe(digest({ a: 2 }));
  expect(digest(undefined)).toBe(digest(null));
});

it('is undefined without the header', () => {
  expect(read(undefined)).toBeUndefined();
});
