import { expect, it } from 'vitest';
import { Bus } from '../../events/bus.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { PaymentNews } from './payment-news.js';

function watched() {
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const published: string[] = [];
  bus.watch((event) => {
    if (event.type === 'payment.balance') published.push(`${event.agent}`);
  });
  return { clock, bus, news: new PaymentNews(bus, clock), published };
}

it('a balance is published at once, then at most once a second, and the last change is always published', () => {
  const { clock, news, published } = watched();
  news.balance('painter');
  expect(published).toEqual(['painter']);
  clock.advance(999);
  let timers = 0;
  const after = clock.after.bind(clock);
  clock.after = (ms, run) => {
    timers += 1;
    return after(ms, run);
  };
  news.balance('painter');
  news.balance('painter');
  expect(timers).toBe(1);
  expect(published).toHaveLength(1);
  clock.advance(1);
  expect(published).toHaveLength(2);
  clock.advance(400);
  news.balance('painter');
  clock.advance(599);
  expect(published).toHaveLength(2);
  clock.advance(1);
  expect(published).toHaveLength(3);
  clock.advance(1000);
  news.balance('painter');
  expect(published).toHaveLength(4);
});

it('the balance of one agent does not wait for that of another', () => {
  const { news, published } = watched();
  news.balance('painter');
  news.balance('sculptor');
  expect(published).toEqual(['painter', 'sculptor']);
});

it('a change of a payment is published without delay, each one', () => {
  const { bus, news } = watched();
  const events: unknown[] = [];
  bus.watch(({ seq: _, ts: __, ...event }) => void events.push(event));
  for (const state of ['paid', 'settled'] as const) news.changed({ id: 'pay-1', agent: 'painter', state });
  expect(events).toEqual(
    ['paid', 'settled'].map((state) => ({
      type: 'payment.changed',
      id: 'pay-1',
      side: 'earned',
      state,
      agent: 'painter',
    })),
  );
});

it('nothing is published after the end', () => {
  const { clock, news, published } = watched();
  for (const agent of ['painter', 'painter', 'sculptor', 'sculptor']) news.balance(agent);
  news.stop();
  clock.advance(5000);
  expect(published).toEqual(['painter', 'sculptor']);
});
