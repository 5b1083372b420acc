import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { PushNotifications, type PushNotificationsParts } from './push-notifications.js';

/** A clock that counts cancelled timers. */
class CountingClock extends FakeClock {
  calledOff = 0;

  override after(ms: number, run: () => void): () => void {
    const cancel = super.after(ms, run);
    return () => {
      this.calledOff += 1;
      cancel();
    };
  }
}

it('keeps only the next pruning timer registered', async () => {
  const clock = new CountingClock();
  let looks = 0;
  const store = {
    removeBefore: async () => {
      looks += 1;
    },
    list: () => [],
  };
  const parts = { asks: { onChanged: () => () => undefined }, store, delivery: { stop: () => undefined }, clock };
  const notifications = new PushNotifications(parts as unknown as PushNotificationsParts);
  await notifications.start();
  for (let hour = 0; hour < 5; hour += 1) {
    clock.advance(3_600_000);
    await new Promise(setImmediate);
  }
  expect(looks).toBe(6);
  notifications.stop();
  expect(clock.calledOff).toBe(1);
  clock.advance(3_600_000);
  expect(looks).toBe(6);
});
