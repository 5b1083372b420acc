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
