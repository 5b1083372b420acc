import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { RpcChain } from './rpc-chain.js';
import { RpcEndpoint } from './rpc-endpoint.js';

const SECOND_MS = 1000;
/** How long a blockhash is reported invalid until it counts as expired. */
const GONE_SECONDS = 20;

/** A server that says in each second after the transfer was sent whether it knows the blockhash and the transfer. */
interface Server {
  /** Whether the blockhash is reported valid at that second. */
  knowsBlockhash(second: number): boolean;
  /** Whether the transfer is reported as confirmed at that second. */
  hasConfirmed(second: number): boolean;
}

class ScriptedEndpoint extends RpcEndpoint {
  readonly sent: unknown[] = [];

  constructor(
    private readonly server: Server,
    private readonly time: FakeClock,
  ) {
    super('solana:devnet', 'http://127.0.0.1:1', time);
  }

  override async read(method: string): Promise<unknown> {
    const second = this.time.elapsed() / SECOND_MS;
    if (method === 'isBlockhashValid') return { value: this.server.knowsBlockhash(second) };
    return { value: [this.server.hasConfirmed(second) ? { err: null, confirmationStatus: 'confirmed' } : null] };
  }

  override async send(_method: string, [wire]: readonly unknown[]): Promise<unknown> {
    this.sent.push(wire);
    return null;
  }
}

/** Sends a transfer through the server; returns the second in which it ended, and the reason when it failed. */
async function sendThrough(server: Server): Promise<{ second: number; failure: unknown; wires: unknown[] }> {
  const clock = new FakeClock();
  const endpoint = new ScriptedEndpoint(server, clock);
  const local = aLocalNetwork();
  const [alice, bob] = [await local.aWallet(1_000_000n), await local.aWallet()];
  const signed = await local.chain.sign(alice, bob.address, 10n);
  let ended: { second: number; failure: unknown } | undefined;
  const end = (failure: unknown) => {
    ended = { second: clock.elapsed() / SECOND_MS, failure };
  };
  const sending = new RpcChain('solana:devnet', endpoint, clock)
    .send(signed)
    .then(() => end(undefined), end)
    .finally(() => expect(new Set(endpoint.sent)).toEqual(new Set([signed.wire])));
  // The transfer is read by a module that is loaded first.
  await expect.poll(() => endpoint.sent.length, { interval: 1 }).toBe(1);
  while (!ended) {
    await waitForTick();
    clock.advance(SECOND_MS);
  }
  await sending;
  return { ...(ended as { second: number; failure: unknown }), wires: endpoint.sent };
}

describe('A transfer on a public network', () => {
  it.each([
    ['once', (second: number) => second !== 1],
    ['for almost as long as an expired one', (second: number) => second >= GONE_SECONDS],
    ['again and again, with a good response between', (second: number) => second % (GONE_SECONDS - 1) === 0],
  ])('is not given up because a server that lags behind does not know its blockhash %s', async (_when, knows) => {
    const { second, failure, wires } = await sendThrough({
      knowsBlockhash: knows,
      hasConfirmed: (now) => now >= 60,
    });
    expect(failure).toBeUndefined();
    expect(second).toBeGreaterThanOrEqual(60);
    expect(wires.length).toBeGreaterThan(1);
  });

  it('is expired, so that another one may be signed, once its blockhash has stayed invalid', async () => {
    const { second, failure } = await sendThrough({ knowsBlockhash: () => false, hasConfirmed: () => false });
    expect(failure).toMatchObject({ code: 'bad_request', details: { reason: 'expired' } });
    expect(second).toBeGreaterThanOrEqual(GONE_SECONDS);
  });

  it('is confirmed when the server tells so last, although its blockhash has stayed invalid', async () => {
    let looks = 0;
    const { failure } = await sendThrough({
      knowsBlockhash: () => false,
      // The first look in the second in which it would count as expired finds nothing, the next one does.
      hasConfirmed: (second) => second > GONE_SECONDS && ++looks > 1,
    });
    expect(failure).toBeUndefined();
  });

  it('is neither confirmed nor expired when its blockhash stays valid: the same transfer is to be sent again', async () => {
    const { failure } = await sendThrough({ knowsBlockhash: () => true, hasConfirmed: () => false });
    expect(failure).toMatchObject({ code: 'deadline' });
  });
});
