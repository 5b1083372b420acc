/**
 * A member that permits callers with a good reputation to pay later. Three keys of one program register, bind
 * themselves, transfer lamports of the local network, file the best reports about each other, and call as often as they
 * can. None may be served on credit. Takes five seconds.
 *
 * `npx tsx scripts/hard/money/post-pay.ts`
 */

import type { Reputation } from '../../../daemon/contract/network/reputation.js';
import { LOCAL_NETWORK, type TransferDone, type Wallet } from '../../../daemon/contract/payments.js';
import { SigningKey } from '../../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../../daemon/lib/crypto/mesh-sig.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { runDrill } from '../drill.js';
import { type Answer, callHttp } from '../http-call.js';

const CALLS_EACH = 10;
const BODY = { text: 'What is it?' };

/** A new agent with a key of its own. */
class NewAgent {
  readonly key = new SigningKey(SigningKey.newSeed());

  constructor(
    private readonly address: string,
    readonly id: string,
  ) {}

  async register(): Promise<void> {
    const made = await callHttp(this.address, 'POST', '/v1/agents/register', { agent_id: this.id });
    await this.call('PUT', '/v1/agents/me/key', { pubkey: this.key.pubkey }, made?.body.token as string);
  }

  call(method: string, path: string, body: object, token?: string): Promise<Answer | undefined> {
    const text = JSON.stringify(body);
    return callHttp(this.address, method, path, text, {
      'mesh-sig': signMeshSig(this.key, { method, path, body: text }, Date.now()),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    });
  }
}

async function sell(daemon: DaemonProcess): Promise<void> {
  await daemon.call('PATCH', '/team/consultant', {
    pricing: { unit: 'request', amount: 5_000, currency: 'lamports', network: LOCAL_NETWORK },
    payment: { modes: ['x402'], postpay_min_reputation: 0.5 },
  });
}

/** Makes a transfer of lamports from a wallet to itself and returns its signature. */
async function gift(daemon: DaemonProcess): Promise<string> {
  const { address } = await daemon.call<Wallet>('POST', '/wallets', { name: 'ring' });
  await daemon.call('POST', '/wallets/ring/fund', { lamports: 1_000_000 });
  const { signature } = await daemon.call<TransferDone>('POST', '/wallets/ring/pay', {
    to: address,
    lamports: 1_000,
    memo: 'gift',
  });
  return signature;
}

await runDrill('post-pay', async (drill) => {
  const project = drill.project({ 'README.md': '# Lamp\n\nIt is a lamp.\n' });
  const daemon = await project.start();
  await sell(daemon);
  const ring = ['ring-one', 'ring-two', 'ring-three'].map((id) => new NewAgent(daemon.address, id));
  for (const stranger of ring) await stranger.register();
  const report = {
    success: true,
    paid: true,
    latency_ms: 1,
    quality: 5,
    payment: { network: LOCAL_NETWORK, signature: await gift(daemon) },
  };
  let filed = 0;
  for (let round = 0; round < 4; round += 1) {
    for (const by of ring)
      for (const about of ring) {
        const answer = await by.call('POST', `/v1/agents/${about.id}/feedback`, report);
        if (answer?.status === 200) filed += 1;
      }
  }
  const { score, reports } = await daemon.call<Reputation>('GET', `/v1/reputation/${ring[0]?.id}`);
  drill.measure({ measure: 'reports that the ring filed', value: filed, unit: 'reports', atLeast: 24 });
  drill.measure({
    measure: 'score of one of the ring',
    value: score ?? 0,
    unit: '',
    atLeast: 1,
    said: `${reports} reports`,
  });

  const statuses: (number | undefined)[] = [];
  const reasons = new Set<unknown>();
  for (const stranger of ring)
    for (let number = 0; number < CALLS_EACH; number += 1) {
      const answer = await stranger.call('POST', '/team/consultant/v1/ask', BODY);
      statuses.push(answer?.status);
      if (answer?.status === 402) reasons.add(answer.body.reason);
    }
  const served = statuses.filter((status) => status === 200).length;
  drill.measure({ measure: `of ${statuses.length} calls served unpaid`, value: served, unit: 'calls', exactly: 0 });
  drill.holds('the others are told why', [...reasons].join(', '), [...reasons].join() === 'reputation_too_low');
});
