import { expect, it } from 'vitest';
import { ledgerQuery } from './payments-queries.js';

it('a ledger that shows a payment request is read again, since it expires without an event', () => {
  const { refetchInterval } = ledgerQuery({});
  if (typeof refetchInterval !== 'function') throw new Error('The ledger is never read again.');
  const wait = (state: string) =>
    refetchInterval({ state: { data: { pages: [{ entries: [{ state }] }] } } } as unknown as Parameters<
      typeof refetchInterval
    >[0]);
  expect(wait('challenged')).toBe(30_000);
  expect(wait('settled')).toBe(false);
});
