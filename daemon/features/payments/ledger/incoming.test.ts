import { describe, expect, it } from 'vitest';
import { MeshError } from '../../../lib/errors.js';
import { createTestPaymentProcessor, PAYMENT, PRICE, ROWS } from '../../../testing/processes/test-payment-processor.js';
import { InMemoryChain } from '../../../testing/stand-ins/in-memory-chain.js';

const NETWORK = 'solana:devnet';
const THERE = { ...PAYMENT, network: NETWORK };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A processor whose agent is paid on an in-memory network, with a deposit key of it. */
async function watched() {
  const devnet = new InMemoryChain(NETWORK);
  const payments = await createTestPaymentProcessor({ others: [devnet] });
  const { api_key, address } = await payments.processor.topup('painter', THERE, 5000);
  const apiKey = api_key as string;
  const scan = async () => {
    payments.clock.advance(1000);
    return (await payments.processor.balance('painter', THERE, apiKey)).lamports;
  };
  const { journal } = payments.processor;
  const held = (kind: 'unmatched' | 'owed' | 'earned', agent = '', holder = '') =>
    journal.find({ network: NETWORK, address, kind, agent, holder })?.lamports;
  const entries = () =>
    payments.database
      .sql(
        `SELECT kind, state, mode, agent, amount, counterparty, last4, reason FROM till_payments
         WHERE kind <> 'call' ORDER BY seq`,
      )
      .all();
  /** Up to which transaction the address has been scanned. */
  const position = () =>
    (
      payments.database.sql('SELECT seen FROM till_addresses WHERE address = ?').get(address) as {
        seen: string | null;
      }
    ).seen;
  const priced = { prices: ROWS.map((row) => ({ ...row, network: NETWORK })), payment: THERE };
  /** Why money moved, in order. */
  const reasons = () =>
    payments.database
      .sql('SELECT why FROM till_journal ORDER BY seq')
      .all()
      .map((row) => (row as { why: string }).why);
  return { payments, devnet, address, apiKey, scan, held, entries, position, priced, journal, reasons };
}

/** Lets the network refuse the transactions of every listing from the `most`-th on that is looked up. */
function refuseAfter(chain: InMemoryChain, most: number): void {
  const real = InMemoryChain.prototype;
  let found = 0;
  chain.listTransactions = (...asked) => {
    found = 0;
    return real.listTransactions.apply(chain, asked);
  };
  chain.find = async (signature) => {
    found += 1;
    if (found > most) throw new MeshError('network_unavailable', 'Too many requests.');
    return real.find.call(chain, signature);
  };
}

const unmatched = (amount: number, reason: string) =>
  expect.objectContaining({ kind: 'transfer', state: 'settled', mode: null, agent: '', amount, reason });

describe('a transfer with a deposit key as memo', () => {
  it('is credited with its sender; what other instructions transferred besides is unmatched', async () => {
    const { devnet, address, apiKey, scan, held, entries, journal, reasons } = await watched();
    const transfers = [
      { from: 'other', to: 'elsewhere', lamports: 1n },
      { from: 'payer', to: address, lamports: 1000n },
    ];
    devnet.put(address, 0n, [apiKey], { transfers, balanceChanges: new Map([[address, 2000n]]) });
    expect([await scan(), held('unmatched'), reasons()]).toEqual([1000, 1000n, ['deposit', 'unmatched']]);
    const credited = { kind: 'topup', state: 'settled', mode: 'deposit', agent: 'painter', reason: null };
    expect(entries()).toEqual([{ ...credited, amount: 1000, counterparty: 'payer', last4: apiKey.slice(-4) }]);
    expect([journal.getReceived(NETWORK, address), journal.audit()]).toEqual([2000n, []]);
  });

  it.each([
    ['below the minimum deposit', 999n, 'below_minimum'],
    ['of the minimum deposit', 1000n, null],
  ])('%s is credited and marked', async (_, lamports, reason) => {
    const { devnet, address, apiKey, scan, entries } = await watched();
    devnet.put(address, lamports, [apiKey]);
    expect(await scan()).toBe(Number(lamports));
    expect(entries()).toMatchObject([{ reason }]);
  });

  it('is unmatched with a second memo, without an amount of its own, and above the limit of a balance', async () => {
    const { devnet, address, apiKey, scan, held, entries, journal, reasons } = await watched();
    devnet.put(address, 10n, [apiKey, apiKey]);
    devnet.put(address, 20n, [apiKey], { transfers: [] });
    devnet.put(address, BigInt(Number.MAX_SAFE_INTEGER), [apiKey]);
    devnet.put(address, 1n, [apiKey]);
    devnet.put(address, 2n, []);
    expect(await scan()).toBe(Number.MAX_SAFE_INTEGER);
    expect(entries()).toEqual([
      unmatched(10, 'memo_twice'),
      unmatched(20, 'unmatched'),
      expect.objectContaining({ kind: 'topup', amount: Number.MAX_SAFE_INTEGER }),
      unmatched(1, 'unmatched'),
      unmatched(2, 'memo_missing'),
    ]);
    expect([held('unmatched'), journal.audit()]).toEqual([33n, []]);
    expect(reasons()).toEqual(['unmatched', 'unmatched', 'deposit', 'unmatched', 'unmatched']);
  });

  it('is not credited to a key of another network or address', async () => {
    const { payments, devnet, address, scan, entries } = await watched();
    const local = (await payments.processor.topup('painter', PAYMENT, 5000)).api_key as string;
    const wallet = payments.payer.address;
    const other = (await payments.processor.topup('sculptor', { ...THERE, wallet }, 5000)).api_key as string;
    for (const memo of [local, other]) devnet.put(address, 1000n, [memo]);
    expect(await scan()).toBe(0);
    expect(entries()).toEqual([unmatched(1000, 'unmatched'), unmatched(1000, 'unmatched')]);
  });

  it('that paid a call by proof already is not credited', async () => {
    const { payments, devnet, address, scan, entries, priced } = await watched();
    const { nonce } = await payments.refused({}, priced);
    const proof = devnet.put(address, BigInt(PRICE), [nonce]);
    expect((await payments.call({ proof, nonce }, priced)).status).toBe(200);
    const { looks } = devnet;
    expect([await scan(), entries()]).toEqual([0, []]);
    expect(devnet.looks).toBe(looks);
  });
});

describe('a transfer with the nonce of an open challenge', () => {
  it('is noted as unclaimed, once; one that is too small or a second one is unmatched', async () => {
    const { payments, devnet, address, scan, entries, held, priced } = await watched();
    const { nonce } = await payments.refused({}, priced);
    const challenge = () => payments.processor.store.findByNonce(nonce);
    devnet.put(address, BigInt(PRICE) - 1n, [nonce]);
    await scan();
    expect([challenge()?.reason, entries()]).toEqual([null, [unmatched(PRICE - 1, 'unmatched')]]);
    const signature = devnet.put(address, BigInt(PRICE), [nonce]);
    await scan();
    expect(challenge()).toMatchObject({
      state: 'challenged',
      signature,
      reason: 'unclaimed',
      updated_ms: payments.clock.now(),
    });
    expect(entries()).toHaveLength(1);
    devnet.put(address, BigInt(PRICE), [nonce]);
    await scan();
    expect(entries()).toEqual([unmatched(PRICE - 1, 'unmatched'), unmatched(PRICE, 'unmatched')]);
    expect([challenge()?.signature, held('unmatched')]).toEqual([signature, BigInt(3 * PRICE - 1)]);
  });

  it('is noted when it pays one of the prices of the challenge', async () => {
    const { payments, devnet, address, scan, priced } = await watched();
    const prices = priced.prices.flatMap((row) => [
      { ...row, tier: 'mini', amount: 100 },
      { ...row, tier: 'max', amount: 900 },
    ]);
    const { nonce } = await payments.refused({}, { ...priced, prices });
    devnet.put(address, 100n, [nonce]);
    await scan();
    expect(payments.processor.store.findByNonce(nonce)?.reason).toBe('unclaimed');
  });

  it('on a network that the challenge does not name is unmatched', async () => {
    const { payments, devnet, address, scan, entries } = await watched();
    const { nonce, accepts } = await payments.refused();
    expect(accepts).toMatchObject([{ network: 'solana:local', address }]);
    devnet.put(address, BigInt(PRICE), [nonce]);
    await scan();
    expect(entries()).toEqual([unmatched(PRICE, 'unmatched')]);
    expect(payments.processor.store.findByNonce(nonce)).toMatchObject({ signature: null, reason: null });
  });

  it('to an address that the challenge does not name is unmatched', async () => {
    const { payments, devnet, address, scan, entries, priced } = await watched();
    const elsewhere = { ...priced, payment: { ...THERE, wallet: payments.payer.address } };
    const { nonce } = await payments.refused({}, elsewhere);
    devnet.put(address, BigInt(PRICE), [nonce]);
    await scan();
    expect(entries()).toEqual([unmatched(PRICE, 'unmatched')]);
    expect(payments.processor.store.findByNonce(nonce)?.signature).toBeNull();
  });
});

describe('a transfer that settles debts', () => {
  it('is recorded with its debtor and settles their calls', async () => {
    const { payments, devnet, address, scan, entries, held, priced } = await watched();
    payments.reputations.set('ann', 1);
    const owing = { ...priced, payment: { ...THERE, postpay_min_reputation: 0.5 } };
    const { headers } = await payments.call({ pubkey: 'ann' }, owing);
    const states: string[] = [];
    payments.bus.watch((event) => {
      if (event.type === 'payment.changed') states.push(event.state);
    });
    devnet.put(address, BigInt(PRICE) + 2n, [headers['X-Settle-Memo'] as string]);
    await scan();
    const settled = { kind: 'transfer', state: 'settled', mode: 'postpay', agent: 'painter', reason: null };
    expect(entries()).toEqual([{ ...settled, amount: PRICE + 2, counterparty: 'ann', last4: null }]);
    // The transfer and the call.
    expect(states).toEqual(['settled', 'settled']);
    expect(held('owed', 'painter', 'ann')).toBe(2n);
    const why = payments.database.sql("SELECT why FROM till_journal WHERE why IN ('settled', 'deposit')").all();
    expect(why).toEqual([{ why: 'settled' }]);
  });
});

describe('a scan', () => {
  it('starts with what follows the newest transaction of an address that is new', async () => {
    const { payments, devnet } = await watched();
    const wallet = payments.payer.address;
    for (const lamports of [1n, 2n]) devnet.put(wallet, lamports, []);
    const there = { ...THERE, wallet };
    const { api_key } = await payments.processor.topup('sculptor', there, 5000);
    devnet.put(wallet, 1000n, [api_key as string]);
    payments.clock.advance(1000);
    expect(await payments.processor.balance('sculptor', there, api_key as string)).toEqual({ lamports: 1000 });
    expect(payments.processor.journal.getReceived(NETWORK, wallet)).toBe(1000n);
  });

  it('publishes what it recorded, and the balance of its agents only', async () => {
    const { payments, devnet, address, apiKey, scan } = await watched();
    const published: string[] = [];
    payments.bus.watch((event) => {
      if (event.type === 'payment.changed') published.push(`changed '${event.agent}'`);
      if (event.type === 'payment.balance') published.push(`balance '${event.agent}'`);
    });
    for (const memos of [[apiKey], [], [apiKey]]) devnet.put(address, 1000n, memos);
    devnet.put(address, 0n, [apiKey]);
    devnet.put(address, 1000n, [apiKey], { failed: true });
    await scan();
    // A failed transaction is not looked up.
    expect([devnet.looks, payments.faults]).toEqual([4, []]);
    expect(published).toEqual(["changed 'painter'", "changed ''", "changed 'painter'", "balance 'painter'"]);
  });

  it('skips failed transactions, those without money and those of an unknown format', async () => {
    const { devnet, address, apiKey, scan, entries } = await watched();
    devnet.put(address, 5n, [apiKey], { failed: true });
    devnet.put(address, 0n, [apiKey]);
    const strange = devnet.put(address, 7n, [apiKey]);
    devnet.put(address, 1000n, [apiKey]);
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => {
      if (signature === strange) throw new MeshError('proof_format', 'Unknown version.');
      return find(signature);
    };
    expect([await scan(), entries().length]).toEqual([1000, 1]);
    devnet.find = find;
    expect(await scan()).toBe(1000);
  });

  it('stops at a transaction that cannot be read yet, and records it and the rest in order later', async () => {
    const { devnet, address, apiKey, scan, entries, position } = await watched();
    const signatures = [1000n, 2000n, 3000n].map((lamports) => devnet.put(address, lamports, [apiKey]));
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => (signature === signatures[1] ? undefined : find(signature));
    for (const _ of [1, 2]) expect([await scan(), position()]).toEqual([1000, signatures[0]]);
    devnet.find = find;
    expect(await scan()).toBe(6000);
    expect(entries()).toMatchObject([{ amount: 1000 }, { amount: 2000 }, { amount: 3000 }]);
  });

  it('passes over what cannot be read for ten minutes, and records it once it can be', async () => {
    const { payments, devnet, address, apiKey, scan, entries, position, journal } = await watched();
    const { clock, faults } = payments;
    const [lost] = [1000n, 2000n].map((lamports) => devnet.put(address, lamports, [apiKey]));
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => (signature === lost ? undefined : find(signature));
    expect(await scan()).toBe(0);
    clock.advance(10 * MINUTE_MS - 2000);
    expect([await scan(), faults.length, position()]).toEqual([0, 1, null]);
    expect([await scan(), entries()]).toMatchObject([2000, [{ amount: 2000 }]]);
    expect(faults.slice(1)).toEqual([
      `The network ${NETWORK} lists these transactions to ${address} and does not return them, so that what they paid ` +
        `is not recorded until it does: ${lost}`,
    ]);
    const last = devnet.put(address, 4000n, [apiKey]);
    expect([await scan(), position()]).toEqual([6000, last]);
    devnet.find = find;
    expect(await scan()).toBe(6000);
    clock.advance(MINUTE_MS);
    for (const _ of [1, 2]) expect(await scan()).toBe(7000);
    expect(entries()).toMatchObject([{ amount: 2000 }, { amount: 4000 }, { amount: 1000 }]);
    expect([faults.length, journal.audit()]).toEqual([2, []]);
  });

  it('keeps what was passed over when the whole history is listed or the network refuses it', async () => {
    const { payments, devnet, address, apiKey, scan, entries } = await watched();
    const lost = devnet.put(address, 1000n, [apiKey]);
    const find = devnet.find.bind(devnet);
    devnet.find = async () => undefined;
    await scan();
    payments.clock.advance(10 * MINUTE_MS);
    await scan();
    payments.database.sql('UPDATE till_addresses SET seen = NULL, seen_slot = NULL').run();
    devnet.put(address, 2000n, [apiKey]);
    devnet.find = async (signature) => (signature === lost ? undefined : find(signature));
    expect(await scan()).toBe(2000);
    payments.clock.advance(MINUTE_MS);
    refuseAfter(devnet, 0);
    devnet.put(address, 4000n, [apiKey]);
    expect(await scan()).toBe(2000);
    devnet.find = find;
    expect(await scan()).toBe(7000);
    expect(entries()).toHaveLength(3);
  });

  it('passes over fifty at most', async () => {
    const { payments, devnet, address, apiKey, scan, position } = await watched();
    const signatures = Array.from({ length: 52 }, () => devnet.put(address, 1n, [apiKey]));
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => (signature === signatures[51] ? find(signature) : undefined);
    await scan();
    payments.clock.advance(10 * MINUTE_MS);
    for (const _ of [1, 2]) expect([await scan(), position()]).toEqual([0, signatures[49]]);
  });

  it('records 250 transactions, those of a full portion too when one of the next cannot be read yet', async () => {
    const { devnet, address, apiKey, scan } = await watched();
    const signatures = Array.from({ length: 250 }, () => devnet.put(address, 1n, [apiKey]));
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => (signature === signatures[100] ? undefined : find(signature));
    expect(await scan()).toBe(100);
    devnet.find = find;
    expect(await scan()).toBe(250);
  });

  it('records what it read before the network refused more, and the next one goes on from there', async () => {
    const { payments, devnet, address, apiKey, scan, position } = await watched();
    const signatures = Array.from({ length: 100 }, () => devnet.put(address, 1n, [apiKey]));
    refuseAfter(devnet, 40);
    expect([await scan(), position()]).toEqual([40, signatures[39]]);
    expect([await scan(), position()]).toEqual([80, signatures[79]]);
    // Whoever is told that the network is away is told so although something was recorded.
    devnet.put(address, 1n, [apiKey]);
    refuseAfter(devnet, 10);
    payments.clock.advance(1000);
    payments.processor.noteChanged(NETWORK, [address]);
    await expect.poll(() => payments.faults).toEqual(['Incoming payments could not be read: Too many requests.']);
    expect(position()).toBe(signatures[89]);
    refuseAfter(devnet, 40);
    expect(await scan()).toBe(101);
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  describe('of an address with transactions from before it was watched', () => {
    /** The address, its earlier transactions, oldest first, and the scan of it by a deposit key. */
    async function watchedLate(count = 3) {
      const { payments, devnet, entries } = await watched();
      const wallet = payments.payer.address;
      const there = { ...THERE, wallet };
      const earlier = Array.from({ length: count }, () => devnet.put(wallet, 1n, []));
      const key = (await payments.processor.topup('sculptor', there, 5000)).api_key as string;
      const scan = async () => {
        payments.clock.advance(1000);
        return (await payments.processor.balance('sculptor', there, key)).lamports;
      };
      const position = () =>
        payments.database.sql('SELECT seen, seen_slot FROM till_addresses WHERE address = ?').get(wallet);
      const list = devnet.listTransactions.bind(devnet);
      /** Lets the network answer each listing with all its rows, or with those that `has` selects. */
      const forgetUntil = (has: (signature: string) => boolean = () => true) => {
        devnet.listTransactions = async (address, _until, before, minSlot) =>
          (await list(address, undefined, before, minSlot)).filter(({ signature }) => has(signature));
      };
      return { payments, devnet, wallet, earlier, key, scan, position, entries, list, forgetUntil };
    }

    it('records none of them when a server knows nothing of the last one and lists everything', async () => {
      const { devnet, wallet, earlier, key, scan, position, entries, list, forgetUntil } = await watchedLate();
      const last = { seen: earlier[2], seen_slot: 3 };
      forgetUntil();
      expect([await scan(), entries(), position()]).toEqual([0, [], last]);
      forgetUntil((signature) => signature !== earlier[2]);
      expect([await scan(), entries(), position()]).toEqual([0, [], last]);
      // What is in the slot of the last one may have followed it.
      const [same, next] = [{ slot: 3 }, {}].map((more) => devnet.put(wallet, 10n, [key], more));
      forgetUntil((signature) => signature !== next);
      expect([await scan(), position()]).toEqual([10, { seen: same, seen_slot: 3 }]);
      forgetUntil((signature) => signature !== same && signature !== earlier[2]);
      expect([await scan(), position()]).toEqual([20, { seen: next, seen_slot: 4 }]);
      devnet.listTransactions = list;
      expect([await scan(), entries().length]).toEqual([20, 2]);
    });

    it('reads no further page when a server lists what is older', async () => {
      const { devnet, scan, entries, forgetUntil } = await watchedLate(1001);
      forgetUntil();
      const { listTransactions } = devnet;
      const asked: unknown[] = [];
      devnet.listTransactions = (...given) => {
        asked.push(given.slice(2));
        return listTransactions(...given);
      };
      expect([await scan(), entries(), asked]).toEqual([0, [], [[undefined, 1001]]]);
    });

    it('records nothing of a server that lags behind, and goes on later', async () => {
      const { payments, devnet, wallet, earlier, key, scan, position, entries, list } = await watchedLate();
      devnet.put(wallet, 10n, [key]);
      const behind = new InMemoryChain(NETWORK);
      for (const signature of earlier.slice(0, 2)) behind.put(wallet, 1n, [], { signature });
      devnet.listTransactions = behind.listTransactions.bind(behind);
      expect([await scan(), entries(), position()]).toEqual([0, [], { seen: earlier[2], seen_slot: 3 }]);
      payments.clock.advance(1000);
      payments.processor.noteChanged(NETWORK, [wallet]);
      await expect
        .poll(() => payments.faults)
        .toEqual(['Incoming payments could not be read: The network lags behind.']);
      devnet.listTransactions = list;
      expect(await scan()).toBe(10);
    });

    it('goes on from a position that an earlier version noted without its slot', async () => {
      const { payments, devnet, wallet, earlier, key, scan, position, entries, forgetUntil } = await watchedLate();
      payments.database.sql('UPDATE till_addresses SET seen_slot = NULL').run();
      forgetUntil();
      expect([await scan(), entries(), position()]).toEqual([0, [], { seen: earlier[2], seen_slot: null }]);
      const next = devnet.put(wallet, 10n, [key]);
      expect([await scan(), position()]).toEqual([10, { seen: next, seen_slot: 4 }]);
    });
  });

  it('that cannot be ended for minutes is warned of once, and again when it cannot be ended anew', async () => {
    const { payments, devnet, address, apiKey, scan } = await watched();
    const warning = (why: string) => `No payment to ${address} on ${NETWORK} could be recorded for 5 minutes: ${why}`;
    const { clock, faults } = payments;
    const find = devnet.find.bind(devnet);
    const first = devnet.put(address, 1n, [apiKey]);
    devnet.find = async () => undefined;
    await scan();
    clock.advance(5 * MINUTE_MS - 2000);
    await scan();
    expect(faults).toEqual([]);
    for (const _ of [1, 2, 3]) await scan();
    expect(faults).toEqual([warning(`The transaction ${first} is listed, and cannot be read.`)]);
    devnet.find = find;
    devnet.put(address, 1n, [apiKey]);
    refuseAfter(devnet, 1);
    expect(await scan()).toBe(1);
    refuseAfter(devnet, 0);
    clock.advance(5 * MINUTE_MS - 1000);
    for (const _ of [1, 2]) await scan();
    expect(faults.slice(1)).toEqual([warning('Too many requests.')]);
  });

  it('records nothing of a transaction that pays a call by proof while it is read', async () => {
    const { payments, devnet, address, scan, entries, held, journal, priced } = await watched();
    const { nonce } = await payments.refused({}, priced);
    const proof = devnet.put(address, BigInt(PRICE), [nonce]);
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => {
      devnet.find = find;
      await payments.call({ proof, nonce }, priced);
      return find(signature);
    };
    await scan();
    expect([entries(), held('unmatched'), held('earned', 'painter')]).toEqual([[], undefined, BigInt(PRICE)]);
    expect([journal.getReceived(NETWORK, address), journal.audit()]).toEqual([BigInt(PRICE), []]);
  });

  it('fails with an error that it does not know', async () => {
    const { devnet, address, apiKey, scan } = await watched();
    devnet.put(address, 5n, [apiKey]);
    devnet.find = () => Promise.reject(new TypeError('undefined is no block'));
    await expect(scan()).rejects.toThrow('undefined is no block');
  });

  it('warns when more came at once than it reads, and reads no further page', async () => {
    const { payments, devnet, address, scan } = await watched();
    let pages = 0;
    devnet.listTransactions = async () => {
      pages += 1;
      return Array.from({ length: 1000 }, (_, row) => ({
        signature: `${pages} ${row}`,
        slot: 1,
        failed: false,
        memo: null,
      }));
    };
    await scan();
    expect(pages).toBe(100);
    expect(payments.faults).toEqual([
      `More than 100000 transactions came to ${address} at once: older ones are missing in the ledger.`,
    ]);
  });
});

it('an address is needed anew with a use an hour after the last, so that it is scanned for longer', async () => {
  const { payments, address, scan } = await watched();
  const wanted = () =>
    payments.database.sql('SELECT wanted_ms FROM till_addresses WHERE address = ?').get(address) as {
      wanted_ms: number;
    };
  const { wanted_ms } = wanted();
  payments.clock.advance(HOUR_MS - 1000);
  await scan();
  expect(wanted()).toEqual({ wanted_ms });
  await scan();
  expect(wanted()).toEqual({ wanted_ms: payments.clock.now() });
});
