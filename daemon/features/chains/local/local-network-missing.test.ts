import { expect, it, onTestFinished } from 'vitest';
import type { Wallet } from '../../../contract/payments.js';
import { caller } from '../../../testing/caller.js';
import { DaemonProcess } from '../../../testing/processes/daemon-process.js';
import { temporaryRepository } from '../../../testing/temporary-folder.js';

it('without the local network’s library, only requests to that network are refused', async () => {
  const root = temporaryRepository({ 'README.md': '# Lighthouse\n' });
  const environment = { PATH: process.env['PATH'], HOME: root, NAPI_RS_NATIVE_LIBRARY_PATH: `${root}/none.node` };
  const daemon = await DaemonProcess.start(root, environment);
  onTestFinished(() => daemon.stop());
  const call = caller(daemon.address);
  const wallet = (await call('POST', '/wallets', { name: 'main' })).body as Wallet;
  expect(wallet.lamports).toBe(0);
  const funded = await call('POST', '/wallets/main/fund', { lamports: 5 });
  expect([funded.status, funded.body]).toEqual([
    503,
    {
      error: 'network_unavailable',
      message: expect.stringContaining(`no code for ${process.platform} ${process.arch}`),
    },
  ]);
  const airdrop = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [wallet.address, 5] };
  expect(await call('POST', '/chain', airdrop)).toMatchObject({
    status: 200,
    body: { error: { code: -32603, message: expect.stringContaining('not available here') } },
  });
  expect((await call('GET', '/health')).body).toMatchObject({ ok: true });
});
