import { setImmediate as waitForTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { Ask } from '../asks/ask-store.js';
import type { PushConfigRow } from './push-configs-store.js';
import { PushDelivery, type PushDeliveryParts } from './push-delivery.js';

const ROW = { seq: 1, request_id: 'req-1', config_id: 'hook', url: 'https://example.invalid', version: '1.0' };

/** A delivery whose configuration becomes `after` while the notification is being made. */
async function deliver(after: { seq: number } | undefined): Promise<number> {
  let row: object | undefined = { ...ROW, sent_status: null };
  let sent = 0;
  let resolve = () => {};
  const over = new Promise<void>((done) => {
    resolve = done;
  });
  const parts = {
    store: { find: () => row as PushConfigRow | undefined, putSent: async () => resolve() },
    secrets: {
      async find() {
        row = after && { ...ROW, ...after };
        setImmediate(() => resolve());
        return undefined;
      },
    },
    exchange: {
      async send() {
        sent += 1;
        return { status: 200 };
      },
    },
    clock: new FakeClock(),
    body: async () => ({ text: '{}', contentType: 'application/json' }),
    warn: () => undefined,
  };
  const delivery = new PushDelivery(parts as unknown as PushDeliveryParts);
  delivery.add(ROW as PushConfigRow, { status: 'done' } as Ask);
  await over;
  delivery.stop();
  return sent;
}

it('sends nothing of a configuration that is deleted or replaced while the notification is made', async () => {
  expect(await deliver({ seq: 1 })).toBe(1);
  expect(await deliver(undefined)).toBe(0);
  expect(await deliver({ seq: 2 })).toBe(0);
});

it('sends no retry to a configuration that is deleted or replaced meanwhile, and retries one that is not', async () => {
  for (const [after, attempts] of [
    [{ seq: 1 }, 4],
    [undefined, 1],
    [{ seq: 2 }, 1],
  ] as const) {
    const clock = new FakeClock();
    let row: object | undefined = { ...ROW, sent_status: null };
    let sent = 0;
    const parts = {
      store: { find: () => row as PushConfigRow | undefined, putSent: async () => undefined },
      secrets: { find: async () => undefined },
      exchange: {
        async send() {
          sent += 1;
          row = after && { ...ROW, ...after, sent_status: null };
          return { status: 503 };
        },
      },
      clock,
      body: async () => ({ text: '{}', contentType: 'application/json' }),
      warn: () => undefined,
    };
    const delivery = new PushDelivery(parts as unknown as PushDeliveryParts);
    delivery.add(ROW as PushConfigRow, { status: 'done' } as Ask);
    for (let pause = 0; pause < 5; pause += 1) {
      await waitForTick();
      clock.advance(60_000);
    }
    await waitForTick();
    expect(sent).toBe(attempts);
    delivery.stop();
  }
});
