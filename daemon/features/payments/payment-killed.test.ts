import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestList } from '../../contract/asks.js';
import { type Challenge, type Ledger, LOCAL_NETWORK, type Topup, type TransferDone } from '../../contract/payments.js';
import { type Caller, caller } from '../../testing/caller.js';
import { DaemonProcess } from '../../testing/processes/daemon-process.js';
import { temporaryRepository } from '../../testing/temporary-folder.js';

const AGENT = fileURLToPath(new URL('../../testing/stand-ins/scripted-acp-agent.mjs', import.meta.url));
const SKILL = '/team/consultant/v1/ask';
const PRICE = 5000;

/**
 * Starts a daemon process whose consultant sells answers; a scripted agent plays the consultant according to `steps`.
 */
async function launch(root: string, steps: readonly unknown[]): Promise<{ daemon: DaemonProcess; call: Caller }> {
  const scenario = join(root, '.scenario.json');
  writeFileSync(scenario, JSON.stringify({ steps }));
  const command = JSON.stringify([process.execPath, AGENT, scenario]);
  const daemon = await DaemonProcess.start(root, { PATH: process.env['PATH'], HOME: root, MESHD_ACP_COMMAND: command });
  onTestFinished(() => daemon.stop());
  return { daemon, call: caller(daemon.address) };
}

async function untilRunning(call: Caller, count: number): Promise<void> {
  const running = async () => ((await call('GET', '/requests?status=running')).body as RequestList).requests.length;
  await expect.poll(running, { timeout: 20_000 }).toBe(count);
}

it('a daemon that is killed during paid calls runs none of them again and refunds them', async () => {
  const root = temporaryRepository({ 'README.md': '# Lamp\n', '.gitignore': '.scenario.json\n' });
  const first = await launch(root, [{ text: 'Thinking. ' }, { hang: true }]);
  const { call } = first;
  const pricing = { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK };
  await call('PATCH', '/team/consultant', { client: 'acp', pricing, payment: { modes: ['x402', 'deposit'] } });
  await call('POST', '/wallets', { name: 'payer' });
  await call('POST', '/wallets/payer/fund', { lamports: 1_000_000_000 });
  const pay = async (to: string, memo: string) =>
    ((await call('POST', '/wallets/payer/pay', { to, lamports: PRICE, memo })).body as TransferDone).signature;

  const { accepts, nonce } = (await call('POST', SKILL, { text: 'Why?' })).body as Challenge;
  const proof = { 'X-Payment-Proof': await pay(accepts[0]?.address ?? '', nonce), 'X-Payment-Nonce': nonce };
  const { api_key, address } = (await call('POST', '/team/consultant/v1/topup', { amount_lamports: PRICE }))
    .body as Topup;
  const key = { 'X-Api-Key': api_key as string };
  await pay(address, api_key as string);
  const cut = [call('POST', SKILL, { text: 'Why?' }, proof), call('POST', SKILL, { text: 'When?' }, key)].map((one) =>
    one.then(
      () => 'answered',
      () => 'cut',
    ),
  );
  await untilRunning(call, 2);
  expect((await call('GET', '/team/consultant/v1/balance', undefined, key)).body).toEqual({ lamports: 0 });
  await first.daemon.kill();
  expect(await Promise.all(cut)).toEqual(['cut', 'cut']);

  const again = await launch(root, [{ text: 'Because.' }]);
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => again.call('POST', SKILL, { text: 'Why?' }, proof)),
  );
  const refund = { api_key: expect.stringMatching(/^tk_/), lamports: PRICE };
  for (const reply of replies) {
    expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ error: 'daemon_restarted', refund })]);
    expect(reply.text).toBe(replies[0]?.text);
  }
  expect((await again.call('GET', '/team/consultant/v1/balance', undefined, key)).body).toEqual({ lamports: PRICE });
  const asks = ((await again.call('GET', '/requests')).body as RequestList).requests;
  expect(asks.map(({ status }) => status)).toEqual(['error', 'error']);

  // The refund can pay for the call.
  const given = JSON.parse(replies[0]?.text ?? '') as { refund: { api_key: string } };
  const bought = await again.call('POST', SKILL, { text: 'Why?' }, { 'X-Api-Key': given.refund.api_key });
  expect([bought.status, bought.headers.get('x-balance-remaining')]).toEqual([200, '0']);
  const { entries, tills: earnings } = (await again.call('GET', '/ledger?side=earned&limit=200')).body as Ledger;
  expect(entries.filter(({ reason }) => reason === 'daemon_restarted').map(({ state }) => state)).toEqual([
    'refunded',
    'refunded',
  ]);
  expect(earnings).toEqual([expect.objectContaining({ earned_lamports: PRICE, balances_lamports: PRICE })]);
});
