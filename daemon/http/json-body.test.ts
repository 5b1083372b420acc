import { describe, expect, it } from 'vitest';
import { BODY_VALUES_MAX } from '../contract/limits.js';
import { testApp } from '../testing/apps/test-app.js';
import { jsonExtent } from './json-body.js';

describe('the extent of a JSON text', () => {
  it.each<[string, number, number]>([
    ['7', 0, 1],
    ['{"a":1,"b":2}', 1, 3],
    ['[[],[],[]]', 2, 7],
    ['"[,,,{"', 0, 1],
    ['"\\"[,"', 0, 1],
  ])('is computed for %s', (text, depth, values) => {
    expect(jsonExtent(Buffer.from(text))).toEqual({ depth, values });
  });
});

describe('a body', () => {
  const keys = (count: number) =>
    `{${Array.from({ length: count }, (_, number) => `"k${number}":${number}`).join(',')}}`;

  it('on a caller’s route is refused above the maximum number of values, which the error names', async () => {
    const app = await testApp();
    expect(await app.call('POST', '/agents/token', keys(BODY_VALUES_MAX))).toMatchObject({
      status: 413,
      body: { error: 'too_large', message: expect.stringContaining(String(BODY_VALUES_MAX)) },
    });
    expect(await app.call('POST', '/agents/token', keys(BODY_VALUES_MAX - 2))).toMatchObject({
      status: 400,
    });
  });

  it('on an operator route has no maximum number of values', async () => {
    const app = await testApp();
    expect((await app.call('POST', '/team', keys(BODY_VALUES_MAX))).body).toMatchObject({ error: 'unknown_key' });
  });

  it('that is too large is refused with the limit of its own route', async () => {
    const app = await testApp();
    const { status, body } = await app.call('POST', '/receipts/verify', `{"receipt":"${'x'.repeat(8_192)}"}`);
    expect([status, body]).toMatchObject([413, { error: 'too_large', message: 'The body is larger than 8192 bytes.' }]);
  });
});
