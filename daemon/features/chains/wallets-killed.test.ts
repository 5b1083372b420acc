import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { TransferDone, Wallet, WalletList } from '../../contract/payments.js';
import { Database } from '../../storage/database/database.js';
import { DaemonProcess } from '../../testing/processes/daemon-process.js';
import { temporaryRepository } from '../../testing/temporary-folder.js';
import { LocalLedger } from './local/local-ledger.js';

const PAYMENTS = 40;

it('a daemon that is killed during payments loses no confirmed payment and makes none twice', async () => {
  const root = temporaryRepository({ 'README.md': '# Lighthouse\n' });
  const environment = { PATH: process.env['PATH'], HOME: root };
  const first = await DaemonProcess.start(root, environment);
  let running = first;
  onTestFinished(() => running.kill());
  const other = await first.call<Wallet>('POST', '/wallets', { name: 'other' });
  await first.call('POST', '/wallets/main/fund', { lamports: 1_000_000_000 });
  const pay = (daemon: DaemonProcess, i: number) =>
    daemon.call<TransferDone>(
      'POST',
      '/wallets/main/pay',
      { to: other.address, lamports: 1000 + i },
      { 'idempotency-key': `k-${i}` },
    );

  const confirmed = new Map<number, string>();
  const all = Array.from({ length: PAYMENTS }, (_, i) =>
    pay(first, i).then(
      async ({ signature }) => {
        confirmed.set(i, signature);
        if (confirmed.size === 5) await first.kill();
      },
      () => undefined,
    ),
  );
  await Promise.all(all);
  expect(confirmed.size).toBeGreaterThanOrEqual(5);

  running = await DaemonProcess.start(root, environment);
  const again = await Promise.all(Array.from({ length: PAYMENTS }, (_, i) => pay(running, i)));
  for (const [i, signature] of confirmed) expect(again[i]?.signature).toBe(signature);
  expect(new Set(again.map(({ signature }) => signature)).size).toBe(PAYMENTS);
  const { wallets } = await running.call<WalletList>('GET', '/wallets');
  const paid = again.reduce((sum, _, i) => sum + 1000 + i, 0);
  expect(Object.fromEntries(wallets.map(({ name, lamports }) => [name, lamports]))).toEqual({
    main: 1_000_000_000 - paid - PAYMENTS * 5000,
    other: paid,
  });
  await running.stop();

  const database = new Database(join(root, '.mesh/state/mesh.db'));
  onTestFinished(() => database.close());
  const { minted, fees, held } = new LocalLedger(database).totals();
  expect({ fees, held }).toEqual({ fees: (PAYMENTS + 1) * 5000, held: minted - fees });
});
