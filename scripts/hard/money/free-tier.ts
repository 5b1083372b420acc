/**
 * Two members with a few free answers a day, counted by key and by address. Callers use other loopback addresses, a new
 * key each time, or no key. None may get more free calls than one caller, and all keys together at most ten times as
 * many, also across a kill of the daemon. Takes five seconds.
 *
 * `npx tsx scripts/hard/money/free-tier.ts`
 */
import { request } from 'node:http';
import { FREE_TIER_TOTAL_FACTOR, LOCAL_NETWORK } from '../../../daemon/contract/payments.js';
import { SigningKey } from '../../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../../daemon/lib/crypto/mesh-sig.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill } from '../drill.js';
import { many } from '../many.js';

const FREE = 2;
const AT_ONCE = 8;
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.9.9.9'];
const BODY = JSON.stringify({ text: 'What is it?' });

interface Caller {
  key?: SigningKey;
  address?: string;
}

interface Answer {
  status: number;
  reason: string | undefined;
}

/** Calls a member's skill once, from the given loopback address. */
function ask({ address: url }: DaemonProcess, member: string, { key, address }: Caller): Promise<Answer> {
  const path = `/team/${member}/v1/ask`;
  const signed = key ? { 'mesh-sig': signMeshSig(key, { method: 'POST', path, body: BODY }, Date.now()) } : {};
  return new Promise((resolve, reject) => {
    const asked = request(
      url + path,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed },
        agent: false,
        ...(address === undefined ? {} : { localAddress: address }),
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        answer.once('end', () => {
          const { reason } = JSON.parse(text) as { reason?: string };
          resolve({ status: answer.statusCode ?? 0, reason });
        });
      },
    );
    asked.once('error', reject);
    asked.end(BODY);
  });
}

async function sell(daemon: DaemonProcess, id: string, by: string): Promise<void> {
  await daemon.call('POST', '/team', {
    id,
    name: id,
    description: 'Answers.',
    body: 'Say what it says.',
    exposure: 'external',
    pricing: { unit: 'request', amount: 5_000, currency: 'lamports', network: LOCAL_NETWORK },
    payment: { modes: ['x402'], free_tier: { calls_per_day: FREE, by } },
  });
}

/** Returns the number of calls that were carried out. */
async function served(daemon: DaemonProcess, member: string, callers: readonly Caller[]): Promise<number> {
  let count = 0;
  await many(callers, AT_ONCE, async (caller) => {
    if ((await ask(daemon, member, caller)).status === 200) count += 1;
  });
  return count;
}

function atMost(drill: Drill, measure: string, value: number, most: number): void {
  drill.measure({ measure, value, unit: 'calls', atMost: most });
}

await runDrill('free-tier', async (drill) => {
  const project = drill.project({ 'README.md': '# Lamp\n\nIt is a lamp.\n' });
  const daemon = await project.start();
  await sell(daemon, 'by-address', 'ip');
  await sell(daemon, 'by-key', 'pubkey');
  const newKey = () => new SigningKey(SigningKey.newSeed());
  const fromEverywhere = ADDRESSES.flatMap((address) => Array.from({ length: FREE + 1 }, () => ({ address })));
  atMost(drill, 'free calls from four loopback addresses', await served(daemon, 'by-address', fromEverywhere), FREE);

  const unsigned = Array.from({ length: FREE + 1 }, () => ({}));
  atMost(drill, 'free calls of unsigned callers where keys are counted', await served(daemon, 'by-key', unsigned), 0);
  const { status, reason } = await ask(daemon, 'by-key', {});
  drill.holds(
    'an unsigned caller is told to sign',
    `${status} ${reason}`,
    status === 402 && reason === 'free_calls_are_signed',
  );

  const one = newKey();
  const signed = Array.from({ length: FREE + 1 }, () => ({ key: one }));
  drill.measure({
    measure: 'free calls of one key',
    value: await served(daemon, 'by-key', signed),
    unit: 'calls',
    exactly: FREE,
  });
  const keys = (count: number) => Array.from({ length: count }, () => ({ key: newKey() }));
  const all = FREE * FREE_TIER_TOTAL_FACTOR;
  const before = FREE + (await served(daemon, 'by-key', keys(all / 2)));
  await daemon.kill();
  const after = await served(await project.start(), 'by-key', keys(all));
  atMost(drill, `free calls of ${all * 1.5} new keys, over a kill`, before + after, all);
});
