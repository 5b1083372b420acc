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
  return { clock, news: new PaymentNews(bus, clock), published };
}

it('a balance is published at once, then at most once a second, and the last change is always published', () => {
  const { clock, news, published } = watched();
  news.balance('painter');
  expect(published).toEqual(['painter']);
  clock.advance(999);
  news.balance('painter');
  news.balance('painter');
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

it('nothing is published after the end', () => {
  const { clock, news, published } = watched();
  for (const agent of ['painter', 'painter', 'sculptor', 'sculptor']) news.balance(agent);
  news.stop();
  clock.advance(5000);
  expect(published).toEqual(['painter', 'sculptor']);
});
