import { expect, it } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { AddressLooks } from './address-looks.js';

/** Scans that a test ends, in the order in which they started. */
function aLook() {
  const clock = new FakeClock();
  const started: string[] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const looks = new AddressLooks(clock, (network, address) => {
    started.push(`${network} ${address}`);
    return new Promise<void>((resolve, reject) => void ends.push({ resolve, reject }));
  });
  return { clock, looks, started, ends };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Says whether a promise has ended by now. */
async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let isEnded = false;
  const end = () => {
    isEnded = true;
  };
  promise.then(end, end);
  await turn();
  return isEnded;
}

it('callers during a scan share the next one, which starts when the first has ended', async () => {
  const { looks, started, ends } = aLook();
  const first = looks.look('solana:local', 'ours');
  const [second, third] = [looks.look('solana:local', 'ours'), looks.look('solana:local', 'ours')];
  await turn();
  expect(started).toEqual(['solana:local ours']);
  ends[0]?.resolve();
  await first;
  await turn();
  expect(started).toHaveLength(2);
  expect(await hasEnded(second)).toBe(false);
  const fourth = looks.look('solana:local', 'ours');
  ends[1]?.resolve();
  await Promise.all([second, third]);
  await turn();
  expect(started).toHaveLength(3);
  ends[2]?.resolve();
  await fourth;
  void looks.look('solana:local', 'ours');
  expect(started).toHaveLength(4);
});

it('callers between the end of a scan and the start of the next one share the next one', async () => {
  const { looks, started, ends } = aLook();
  const first = looks.look('solana:local', 'ours');
  const second = looks.look('solana:local', 'ours');
  ends[0]?.resolve();
  await first;
  const between = looks.look('solana:local', 'ours');
  await turn();
  expect(started).toHaveLength(2);
  ends[1]?.resolve();
  await Promise.all([second, between]);
});

it('another address or network is scanned at the same time', () => {
  const { looks, started } = aLook();
  for (const [network, address] of [
    ['solana:local', 'ours'],
    ['solana:local', 'theirs'],
    ['solana:devnet', 'ours'],
  ] as const)
    void looks.look(network, address);
  expect(started).toEqual(['solana:local ours', 'solana:local theirs', 'solana:devnet ours']);
});

it('a scan of a remote network starts a second after the start of the one before', async () => {
  const { clock, looks, started, ends } = aLook();
  const first = looks.look('solana:devnet', 'ours');
  clock.advance(300);
  ends[0]?.resolve();
  await first;
  const second = looks.look('solana:devnet', 'ours');
  await turn();
  clock.advance(699);
  await turn();
  expect(started).toHaveLength(1);
  clock.advance(1);
  await turn();
  expect(started).toHaveLength(2);
  clock.advance(1000);
  ends[1]?.resolve();
  await second;
  void looks.look('solana:devnet', 'ours');
  await turn();
  expect(started).toHaveLength(3);
});

it('a scan that fails fails for its callers, and the next one is made all the same', async () => {
  const { looks, started, ends } = aLook();
  const first = looks.look('solana:local', 'ours');
  const second = looks.look('solana:local', 'ours');
  ends[0]?.reject(new Error('unreachable'));
  await expect(first).rejects.toThrow('unreachable');
  await turn();
  expect(started).toHaveLength(2);
  ends[1]?.resolve();
  await second;
});

it('is idle when no scan runs, however the scans ended', async () => {
  const { looks, ends } = aLook();
  await looks.idle();
  const scans = [looks.look('solana:local', 'ours'), looks.look('solana:devnet', 'ours')];
  const idle = looks.idle();
  ends[0]?.reject(new Error('unreachable'));
  await expect(scans[0]).rejects.toThrow('unreachable');
  expect(await hasEnded(idle)).toBe(false);
  ends[1]?.resolve();
  await idle;
});
