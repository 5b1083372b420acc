import { expect, it } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { ScanStalls } from './scan-stalls.js';

const MINUTES_MS = 300_000;

function stalls() {
  const clock = new FakeClock();
  const warned: string[] = [];
  return { clock, warned, stalls: new ScanStalls(clock, (message) => void warned.push(message)) };
}

it('each address that stays at its position for five minutes is warned of once', () => {
  const { clock, warned, stalls: made } = stalls();
  const places = [
    ['solana:devnet', 'ours'],
    ['solana:devnet', 'theirs'],
    ['solana:mainnet', 'ours'],
  ] as const;
  const note = () => {
    for (const [network, address] of places) made.note(network, address, null, 'It is away.');
  };
  note();
  clock.advance(MINUTES_MS - 1);
  note();
  expect(warned).toEqual([]);
  clock.advance(1);
  for (const _ of [1, 2]) note();
  expect(warned).toEqual(
    places.map(
      ([network, address]) => `No payment to ${address} on ${network} could be recorded for 5 minutes: It is away.`,
    ),
  );
});

it.each<[string, (made: ScanStalls) => void]>([
  ['moved on', (made) => made.note('solana:devnet', 'ours', 'b', 'It is away.')],
  ['was scanned to its end', (made) => made.end('solana:devnet', 'ours')],
])('an address that %s is warned of five minutes later again', (_, move) => {
  const { clock, warned, stalls: made } = stalls();
  const note = (position: string) => made.note('solana:devnet', 'ours', position, 'It is away.');
  note('a');
  clock.advance(MINUTES_MS);
  note('a');
  move(made);
  note('b');
  clock.advance(MINUTES_MS - 1);
  note('b');
  expect(warned).toHaveLength(1);
  clock.advance(1);
  note('b');
  expect(warned).toHaveLength(2);
});

it('an address is stuck after ten minutes at its position', () => {
  const { clock, stalls: made } = stalls();
  const isLong = (position: string | null, address = 'ours') => made.isLong('solana:devnet', address, position);
  expect(isLong(null)).toBe(false);
  made.note('solana:devnet', 'ours', null, 'It is away.');
  clock.advance(2 * MINUTES_MS - 1);
  expect(isLong(null)).toBe(false);
  clock.advance(1);
  expect([isLong(null), isLong('a'), isLong(null, 'theirs')]).toEqual([true, false, false]);
  made.end('solana:devnet', 'ours');
  expect(isLong(null)).toBe(false);
});
