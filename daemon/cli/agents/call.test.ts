import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Approval, Call, Ledger } from '../../contract/payments.js';
import { type APayer, aPayer, aSeller, PRICE } from '../../testing/apps/a-market.js';
import { beFound, meshd } from '../../testing/processes/command-line.js';

/** Starts a daemon that the command line finds, with an agent that sells at `PRICE`. */
async function market(
  caps: Parameters<typeof aPayer>[0] = {},
): Promise<{ payer: APayer; root: string; url: string; wallet: string }> {
  const payer = await aPayer(caps);
  const { app } = payer;
  beFound(app);
  const { agent } = await aSeller(payer, { run: (input) => ({ painted: input['prompt'] ?? null }) });
  return { payer, root: app.root, url: agent.url, wallet: agent.wallet };
}

const nothing = { caps: { per_call_lamports: 0, per_day_lamports: 0 } };

describe('meshd call', () => {
  it('prints only the result on stdout, and on stderr its cost and that it is not real money', async () => {
    const { root, url } = await market();
    const { exit, out, err } = await meshd(root, 'call', url, 'paint', '--input', '{"prompt": "a lamp"}');
    expect([exit, JSON.parse(out)]).toEqual([0, { painted: 'a lamp' }]);
    expect(err).toMatch(
      new RegExp(`call-[\\w-]+: ${PRICE} lamports by x402 on solana:local \\(not real money\\), \\d+ ms`),
    );
  });

  it('reads the input from a file, and prints one object with --json', async () => {
    const { root, url } = await market();
    const file = join(root, 'order.json');
    writeFileSync(file, '{"prompt": "from a file"}');
    const { exit, out } = await meshd(root, 'call', url, 'paint', '--input', `@${file}`, '--mode', 'deposit', '--json');
    expect([exit, JSON.parse(out)]).toMatchObject([
      0,
      { state: 'done', mode: 'deposit', result: { painted: 'from a file' } },
    ]);
  });

  it('exits 2 for an input that is not an object, 4 for an unknown target, 5 above its limit, 7 for a failure', async () => {
    const { root, url, payer } = await market();
    const exits = async (...args: string[]) => (await meshd(root, 'call', ...args)).exit;
    expect(await exits(url, 'paint', '--input', '[1]')).toBe(2);
    expect(await exits(url)).toBe(2);
    expect(await exits('nobody', 'paint')).toBe(4);
    expect(await exits(url, 'sing')).toBe(4);
    expect(await exits(url, 'paint', '--max-lamports', '1')).toBe(5);
    expect(await exits(`http://127.0.0.1:${payer.ports[1]}`, 'paint')).toBe(7);
    expect((await payer.ledger()).spent_lamports).toBe(0);
  });

  it('exits 9 when a payment needs approval, and approve prints the result', async () => {
    const { root, url, payer, wallet } = await market(nothing);
    const asked = await meshd(root, 'call', url, 'paint', '--json');
    const { call_id } = JSON.parse(asked.out) as Call;
    expect([asked.exit, asked.err]).toEqual([9, '']);
    const waiting = await meshd(root, 'approvals', '--json');
    expect([waiting.exit, (JSON.parse(waiting.out) as { approvals: Approval[] }).approvals]).toMatchObject([
      9,
      [{ call_id, amount_lamports: PRICE }],
    ]);
    const approved = await meshd(root, 'approve', call_id);
    expect([approved.exit, JSON.parse(approved.out)]).toEqual([0, { painted: null }]);
    expect(await payer.getLamports(wallet)).toBe(PRICE);
    expect((await meshd(root, 'approvals')).exit).toBe(0);
    expect((await meshd(root, 'approve', call_id)).exit).toBe(6);
  });

  it('does not pay when it is denied', async () => {
    const { root, url, payer, wallet } = await market(nothing);
    const { call_id } = JSON.parse((await meshd(root, 'call', url, 'paint', '--json')).out) as Call;
    expect(await meshd(root, 'deny', call_id)).toMatchObject({ exit: 0, out: `${call_id} is not paid.\n` });
    expect((await meshd(root, 'call', '--id', call_id)).exit).toBe(5);
    expect(await payer.getLamports(wallet)).toBe(0);
  });
});

describe('meshd ledger', () => {
  it('lists payments with the caps, as one object with --json and complete with --csv', async () => {
    const { root, url } = await market();
    await meshd(root, 'call', url, 'paint');
    const shown = await meshd(root, 'ledger');
    expect(shown.out).toMatch(new RegExp(`spent +call x402 +settled +−${PRICE} +solana:local \\(not real\\)`));
    expect(shown.err).toContain('Caps: 1,000,000 lamports a payment');
    const { entries } = JSON.parse((await meshd(root, 'ledger', '--side', 'spent', '--json')).out) as Ledger;
    expect(entries).toHaveLength(1);
    expect((await meshd(root, 'ledger', '--csv')).out.split('\r\n')).toHaveLength(3);
    expect((await meshd(root, 'settle')).err).toContain('Nothing is owed.');
  });
});
