import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Ledger, Wallet } from '../daemon/contract/payments.js';
import type { ProjectList } from '../daemon/contract/projects.js';
import { expect, expectAccessible, expectLive, open, type Project, tabTo, test } from './fixtures.js';

/** Starts the daemon of another project of the same user. `stop` stops it. */
async function another(
  project: Project,
): Promise<{ name: string; root: string; address: string; stop(): Promise<void> }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'meshd-e2e-other-')));
  writeFileSync(join(root, 'README.md'), '# Buoy\n\nBuoy marks the fairway.\n');
  const address = (await project.meshd('up', '--root', root, '--port', '0')).trim().split('\n').at(-1) ?? '';
  let isUp = true;
  const stop = async () => {
    if (isUp) await project.meshd('down', '--root', root);
    isUp = false;
  };
  return { name: basename(root), root, address, stop };
}

test('projects of one user are linked to each other, by pointer, keyboard and word', async ({ page, project }) => {
  test.slow();
  const own = basename(project.root);
  await page.setViewportSize({ width: 700, height: 800 });
  await open(page, project);
  const bar = page.getByRole('region', { name: 'Status' });
  await expect(bar.getByText(own, { exact: true })).toBeVisible();
  await expect(bar.getByRole('button', { name: /projects$/ })).toHaveCount(0);
  await page.setViewportSize({ width: 1280, height: 800 });

  const other = await another(project);
  try {
    const listed = JSON.parse(await project.meshd('ls', '--json')) as ProjectList;
    expect(listed.projects.map(({ root, current }) => [root, current]).sort()).toEqual(
      [
        [project.root, true],
        [other.root, false],
      ].sort(),
    );
    await open(page, project);
    const toggle = bar.getByRole('button', { name: `${own}, one of 2 projects` });
    await toggle.click();
    const menu = page.getByRole('navigation', { name: 'Projects' });
    await expect(menu.getByRole('link', { name: own })).toHaveAttribute('aria-current', 'true');
    await expectAccessible(page);
    // Safari gives the focus to no link or button that is pressed: it leaves the menu for nothing.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await expect(menu).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);
    await expect(toggle).toBeFocused();
    await page.keyboard.press('ArrowDown');
    const there = menu.getByRole('link', { name: other.name });
    await page.keyboard.press('Home');
    const isFirst = (await menu.getByRole('link').first().innerText()).startsWith(other.name);
    if (!isFirst) await page.keyboard.press('ArrowDown');
    await expect(there).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${other.address}/app`);
    await expect(bar.getByRole('button', { name: `${other.name}, one of 2 projects` })).toBeVisible();

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(`go to project ${own}`);
    await page.getByRole('option', { name: /^Go to project/ }).click();
    await expect(page).toHaveURL(`${project.address}/app`);

    await expect(toggle).toBeVisible();
    await other.stop();
    await toggle.click();
    await expect(menu.getByRole('link', { name: other.name })).toHaveAttribute('aria-disabled', 'true');
    await expect(menu.getByText(/^stopped, seen \d\d:\d\d$/)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);
  } finally {
    await other.stop();
    rmSync(other.root, { recursive: true, force: true });
  }
});

const PRICE = 4_000;

/** Sends one request to a daemon as its operator. Returns the body of the response. */
async function send<T>(address: string, method: string, path: string, body?: object): Promise<T> {
  const text = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${address}${path}`, { method, ...text });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

test("another project's member is found, asked, called and paid from the dashboard", async ({ page, project }) => {
  test.slow();
  const other = await another(project);
  const ref = `${other.name}/consultant`;
  const elsewhere = page.getByRole('list', { name: 'Found in your other projects' });
  const panel = page.getByRole('region', { name: 'Call a skill' });
  const states = panel.getByRole('list', { name: 'Payment states' });
  try {
    await open(page, project, '/find?q=questions+about+this+project');
    await expect(elsewhere.locator('[data-row]')).toHaveText([ref]);
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expect(elsewhere.getByRole('link', { name: /^Ask/ })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });

    await tabTo(page, elsewhere.getByRole('link', { name: /^Ask/ }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: ref })).toBeVisible();
    await panel.getByRole('button', { name: 'Read the card to call it' }).click();
    const question = panel.getByRole('textbox', { name: 'text, optional' });
    await question.fill('What does the buoy mark?');
    await expectAccessible(page);
    await panel.getByRole('button', { name: /^Call/ }).click();
    await expect(panel).toContainText('fairway');

    await send(other.address, 'PATCH', '/team/consultant', {
      pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network: 'solana:local' },
      payment: { modes: ['x402'] },
    });
    const { address } = await send<Wallet>(project.address, 'POST', '/wallets', { name: 'main' });
    const airdrop = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [address, 1_000_000] };
    await send(other.address, 'POST', '/chain', airdrop);
    await open(page, project, `/agents/${encodeURIComponent(ref)}`);
    await expectLive(page);
    await panel.getByRole('button', { name: 'Read the card to call it' }).click();
    await question.fill('What does the buoy mark?');
    await panel.getByRole('button', { name: 'Call for up to 4,000 lamports' }).click();
    const payment = page.getByRole('group', { name: /^Pay / });
    await expect(payment).toContainText(`Pay 4,000 lamports to ${ref} for ask?`);
    await payment.getByRole('button', { name: /Allow this payment/ }).click();
    await expect(states).toContainText(/402: 4,000 lamportspaid200 in/);
    await expect(panel).toContainText('fairway');
    await expectAccessible(page);

    const paid = async (at: string, side: 'spent' | 'earned') =>
      (await send<Ledger>(at, 'GET', `/ledger?side=${side}&state=settled`)).entries
        .map(({ amount_lamports }) => amount_lamports)
        .filter((amount) => amount > 0);
    expect(await paid(project.address, 'spent')).toEqual([PRICE]);
    expect(await paid(other.address, 'earned')).toEqual([PRICE]);
  } finally {
    await other.stop();
    rmSync(other.root, { recursive: true, force: true });
  }
});
