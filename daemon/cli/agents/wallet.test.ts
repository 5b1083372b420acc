import { describe, expect, it } from 'vitest';
import type { TransferDone, Wallet, WalletList } from '../../contract/payments.js';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { beFound, completed, daemon, meshd } from '../../testing/processes/command-line.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

const NOT_REAL = "solana:local is this daemon's own network: its lamports are not real money.";
const payOneSol = (root: string, address: string, ...args: string[]) =>
  meshd(root, 'wallet', 'pay', address, '--sol', '1', ...args);

describe('meshd wallet', () => {
  it('creates, lists and funds wallets, and reports that the local network is not real money', async () => {
    const { root } = await daemon();
    const wallet = (...args: string[]) => meshd(root, 'wallet', ...args);
    expect(await wallet('show')).toEqual({
      exit: 0,
      out: '',
      err: 'No wallets yet: create one with `meshd wallet new`.\n',
    });
    const made = await wallet('new');
    expect(made).toEqual({
      exit: 0,
      out: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}\n$/),
      err: `main holds 0 SOL on solana:local. ${NOT_REAL}\n`,
    });
    const address = made.out.trim();
    const savings = JSON.parse((await wallet('new', 'savings', '--json')).out) as Wallet;
    expect(savings).toEqual({
      name: 'savings',
      address: savings.address,
      network: 'solana:local',
      real: false,
      lamports: 0,
    });
    expect((await wallet('new')).out.trim()).toBe(address);

    expect(await wallet('fund')).toEqual({ exit: 0, out: 'main holds 1 SOL now.\n', err: `${NOT_REAL}\n` });
    expect((await wallet('fund', 'main', '--lamports', '1')).out).toBe('main holds 1.000000001 SOL now.\n');
    expect(JSON.parse((await wallet('fund', 'savings', '--sol', '0.25', '--json')).out)).toMatchObject({
      lamports: 250_000_000,
    });
    const listed = await wallet('show');
    expect(listed.out).toContain(`main     ${address}`);
    expect(listed.out).toMatch(/1\.000000001 SOL\nsavings .* 0\.25 SOL\n$/);
    expect(listed.err).toBe(`${NOT_REAL}\n`);
    expect((JSON.parse((await wallet('show', 'savings', '--json')).out) as WalletList).wallets).toEqual([
      { ...savings, lamports: 250_000_000 },
    ]);
  });

  it('pays an address, and a payment URL as it specifies; a repeated --once pays once', async () => {
    const { root } = await daemon();
    const wallet = (...args: string[]) => meshd(root, 'wallet', ...args);
    const other = (await wallet('new', 'other')).out.trim();
    const balance = async () =>
      (JSON.parse((await wallet('show', 'other', '--json')).out) as WalletList).wallets[0]?.lamports;
    await wallet('fund');
    const paid = await wallet('pay', other, '--sol', '0.0000015', '--memo', 'for the lamp');
    expect(paid).toEqual({
      exit: 0,
      out: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{64,88}\n$/),
      err: `Paid 0.0000015 SOL on solana:local; main holds 0.9999935 SOL now.\n${NOT_REAL}\n`,
    });
    expect(await balance()).toBe(1500);
    const address = `solana:${other}?amount=0.000001&memo=n_1&label=The%20lamp%20shop`;
    const done = await wallet('pay', address, '--once', 'k-1', '--json');
    const again = await wallet('pay', address, '--once', 'k-1', '--json');
    expect((JSON.parse(again.out) as TransferDone).signature).toBe((JSON.parse(done.out) as TransferDone).signature);
    expect(await balance()).toBe(2500);
    expect((await wallet('pay', address)).err).toMatch(/^It says that it is from: The lamp shop\n/);
    expect((await wallet('pay', 'main', '--lamports', '5')).exit).toBe(2);
  });

  it('reports what is wrong, with the exit status for scripts', async () => {
    const { root } = await daemon();
    const wallet = (...args: string[]) => meshd(root, 'wallet', ...args);
    const address = (await wallet('new')).out.trim();
    const usage = [
      ['new', 'No Name'],
      ['fund', '--sol', '0'],
      ['fund', '--sol', '0.0000000001'],
      ['fund', '--sol', '1', '--lamports', '1'],
      ['fund', '--lamports', '-1'],
      ['pay', address],
      ['pay', `solana:${address}`, '--sol', '1'],
      ['pay', `solana:${address}?amount=1`, '--sol', '1'],
      ['pay', `solana:${address}?amount=1&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`],
      ['pay', address, '--sol', '1', '--network', 'solana:devnet'],
      ['pay', address, '--sol', '1', '--network', 'solana:mainnet'],
    ];
    for (const args of usage)
      expect([args, await wallet(...args)]).toEqual([args, { exit: 2, out: '', err: expect.stringMatching(/./) }]);
    // Beyond the balance.
    expect(await wallet('pay', address, '--lamports', '987654321')).toEqual({
      exit: 5,
      out: '',
      err: expect.stringMatching(/holds \d+ lamports on solana:local, and the payment is 987654321/),
    });
    expect((await wallet('show', 'nobody')).exit).toBe(4);
    expect((await wallet('fund', 'nobody')).exit).toBe(4);
    const unknown = await wallet('pay', address, '--sol', '1', '--from', 'nobody', '--json');
    expect([unknown.exit, unknown.err, JSON.parse(unknown.out)]).toEqual([
      4,
      '',
      expect.objectContaining({ error: 'not_found' }),
    ]);
    expect((await meshd(temporaryFolder({ '.mesh/x': '' }), 'wallet', 'show')).exit).toBe(3);
  });

  it('prompts before real money is paid, and requires --yes without a terminal', async () => {
    const { root } = await daemon();
    const address = (await meshd(root, 'wallet', 'new')).out.trim();
    const asked = await payOneSol(root, address, '--network', 'solana:mainnet');
    expect(asked).toMatchObject({ exit: 2, err: expect.stringContaining('real money') });
    expect(asked.err).toContain('--yes');
    const unconfigured = await payOneSol(root, address, '--network', 'solana:mainnet', '--yes');
    expect(unconfigured).toMatchObject({ exit: 2, err: expect.stringContaining('MESHD_SOLANA_MAINNET_URL') });
  });

  it('reports how to resolve a payment whose outcome is unknown', async () => {
    const clock = new FakeClock(Date.now());
    const app = await testApp({ clock, env: { MESHD_SOLANA_DEVNET_URL: 'http://127.0.0.1:1' } });
    beFound(app);
    const address = (await meshd(app.root, 'wallet', 'new')).out.trim();
    let isOver = false;
    const paying = payOneSol(app.root, address, '--network', 'solana:devnet', '--once', 'k-1', '--json');
    void paying.then(() => {
      isOver = true;
    });
    // The daemon pauses between its attempts to reach the network, measured by a clock that only this loop advances.
    while (!isOver) {
      clock.advance(100);
      await new Promise(setImmediate);
    }
    const { exit, out, err } = await paying;
    expect([exit, err, JSON.parse(out)]).toEqual([
      1,
      '',
      { error: 'network_unavailable', message: expect.stringContaining('repeat it with --once k-1'), once: 'k-1' },
    ]);
  });

  it('completes the names of wallets', async () => {
    const { root } = await daemon();
    await meshd(root, 'wallet', 'new');
    await meshd(root, 'wallet', 'new', 'savings');
    const words = (...line: string[]) => completed(root, ...line);
    expect(await words('wallet', '')).toEqual(['new', 'show', 'fund', 'pay']);
    expect(await words('wallet', 'show', '')).toEqual(['main', 'savings']);
    expect(await words('wallet', 'pay', '--from', '')).toEqual(['main', 'savings']);
    expect(await words('wallet', 'pay', '--network', '')).toEqual(['solana:local', 'solana:devnet', 'solana:mainnet']);
  });
});
