import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { SelfRegistrationList } from '../daemon/contract/network/self-registration.js';
import type { Challenge, Ledger, TransferDone, Wallet } from '../daemon/contract/payments.js';
import {
  expect,
  expectAccessible,
  expectDrawn,
  expectLive,
  expectTakesKeys,
  open,
  type Project,
  tabTo,
  test,
} from './fixtures.js';

const PRICE = 5_000;
const LOCAL = 'Local network: not real money';
const QUESTION = { text: 'What is the default of LAMP_ANGLE?' };

const entries = (page: Page) => page.getByRole('list', { name: 'Entries' }).locator(':scope > li');
const tray = (page: Page) => page.getByRole('link', { name: /^Needs you \(\d+\)$/ });
const payment = (page: Page) => page.getByRole('group', { name: /^Pay / });
const panel = (page: Page) => page.getByRole('region', { name: 'Call a skill' });
const save = (page: Page) => page.getByRole('button', { name: /^Save/ });

/** Gives the consultant a price, paid into a separate wallet: a payment to the own wallet moves nothing. */
async function price(project: Project, values: object = {}): Promise<void> {
  const { address } = await project.api<Wallet>('POST', '/wallets', { name: 'till' });
  await project.api('PATCH', '/team/consultant', {
    pricing: [{ unit: 'request', amount: PRICE, currency: 'lamports', network: 'solana:local' }],
    payment: { modes: ['x402', 'deposit'], wallet: address, ...values },
  });
}

const fund = (project: Project, lamports = 1_000_000_000) => project.api('POST', '/wallets/main/fund', { lamports });

/** Waits until the consultant is registered as an agent, and returns its id. */
async function agentId(project: Project): Promise<string> {
  let id: string | undefined;
  await expect
    .poll(async () => {
      const { registrations } = await project.api<SelfRegistrationList>('GET', '/registrations');
      const hub = registrations.find(({ member }) => member === 'consultant')?.surfaces.hub;
      id = hub?.registered && hub.agent_id !== null ? hub.agent_id : undefined;
      return id;
    })
    .toBeDefined();
  return id ?? '';
}

/** Calls the skill as a program without any credential. */
const callSkill = (project: Project, headers: Record<string, string> = {}) =>
  fetch(`${project.address}/team/consultant/v1/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(QUESTION),
  });

/** Opens the agent page of the consultant with the form of its skill. */
async function openCallForm(page: Page, project: Project): Promise<string> {
  const id = await agentId(project);
  await open(page, project, `/agents/${id}`);
  await page.getByRole('button', { name: 'Read the card to call it' }).click();
  await panel(page).getByRole('textbox', { name: 'text, optional' }).fill(QUESTION.text);
  return id;
}

test('a member is priced in its form, lamports and SOL side by side, and what the daemon refuses stands at its field', async ({
  page,
  project,
}) => {
  await open(page, project, '/team/consultant?tab=file');
  await page.getByRole('button', { name: 'Set a price' }).click();
  await page.getByRole('textbox', { name: 'Price, SOL' }).fill('0.000005');
  await expect(page.getByRole('textbox', { name: 'Price, lamports' })).toHaveValue('5000');
  await page.getByRole('textbox', { name: 'Price, lamports' }).fill('5000.5');
  await save(page).click();
  await expect(page.getByRole('textbox', { name: 'Price, lamports' })).toHaveAccessibleDescription(
    /A whole number of lamports/,
  );
  await page.getByRole('textbox', { name: 'Price, lamports' }).fill(String(PRICE));
  await expect(page.getByRole('textbox', { name: 'Price, SOL' })).toHaveValue('0.000005');
  await expect(page.getByRole('group', { name: 'Price and payment' })).toContainText(
    /answered 402: pay 5,000 lamports \(0\.000005 SOL\)/,
  );
  // Valid base58 characters. Only the daemon detects that they do not decode to 32 bytes.
  const wallet = page.getByRole('textbox', { name: 'Wallet that is paid' });
  await wallet.fill('1'.repeat(44));
  await save(page).click();
  await expect(wallet).toHaveAccessibleDescription(/must be the base58 address of a wallet/);
  await wallet.fill('');
  await save(page).click();
  await expect(page.getByText('As on disk.')).toBeVisible();
  expect(project.read('.mesh/team/consultant.md')).toMatch(/amount: 5000/);
  await page.getByRole('navigation', { name: 'Consultant' }).getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('region', { name: 'Price' })).toContainText('0.000005 SOL');
});

test('another program turns a 402 into a 200, and the ledger shows it live', async ({ page: ledger, project }) => {
  await price(project);
  await open(ledger, project, '/ledger');
  await expect(ledger.getByText('No payments yet.')).toBeVisible();
  await ledger.getByRole('button', { name: 'New wallet' }).click();
  await ledger.getByRole('textbox', { name: 'Name' }).fill('harbour');
  await ledger.getByRole('button', { name: 'Create', exact: true }).click();
  const harbour = ledger
    .getByRole('region', { name: /^Wallets/ })
    .getByRole('listitem')
    .filter({ hasText: 'harbour' });
  await expect(harbour).toContainText(LOCAL);
  await harbour.getByRole('button', { name: 'Fund' }).click();
  await ledger.getByRole('textbox', { name: 'How much, SOL' }).fill('1.5');
  await expect(ledger.getByRole('textbox', { name: 'How much, lamports' })).toHaveValue('1500000000');
  await ledger.getByRole('dialog').getByRole('button', { name: 'Fund', exact: true }).click();
  await expect(harbour).toContainText('1.5 SOL');
  await expect(harbour).toContainText('1,500,000,000 lamports');

  const refused = await callSkill(project);
  expect(refused.status).toBe(402);
  const challenge = (await refused.json()) as Challenge;
  await expect(entries(ledger)).toHaveCount(1);
  await expect(entries(ledger)).toContainText('payment requested');
  await expect(entries(ledger)).toContainText('for consultant · price of this call');
  const [accepted] = challenge.accepts;
  const { signature } = await project.api<TransferDone>('POST', '/wallets/harbour/pay', {
    to: accepted?.address,
    lamports: accepted?.amount,
    memo: challenge.nonce,
  });
  const answered = await callSkill(project, { 'x-payment-proof': signature, 'x-payment-nonce': challenge.nonce });
  expect(answered.status).toBe(200);
  expect(((await answered.json()) as { result_text: string }).result_text).toContain('-6');
  const call = entries(ledger).filter({ has: ledger.getByRole('link', { name: 'ask', exact: true }) });
  await expect(call).toContainText('payment requested, paid, settled');
  // The transfer that paid it is in the same row.
  await expect(entries(ledger)).toHaveCount(1);
  await expect(call).toContainText('earned by consultant · paid for this call · by hand');
  // The price and the network fee are deducted.
  await expect(harbour).toContainText('1.49999');
  await expect(ledger.getByRole('region', { name: /^Earnings/ })).toContainText('Earned0.000005 SOL');
  const sums = ledger.getByRole('region', { name: /^Totals by network/ });
  await expect(sums).toContainText('Received0.000005 SOL');
  await expect(sums).toContainText('Calls earned0.000005 SOL');

  await call.getByRole('link', { name: 'ask' }).press('Enter');
  await expect(ledger).toHaveURL(/entry=pay-/);
  await expect(call).toContainText(signature);
  await expect(call).toContainText(challenge.nonce);
  await expect(call).toContainText(LOCAL);
  await expect(call).toContainText('Paid and done.');
  await ledger.reload();
  await expect(call).toContainText(signature);
  await expectAccessible(ledger);

  await ledger.getByRole('combobox', { name: 'Side' }).selectOption('earned');
  await ledger.getByRole('combobox', { name: 'State' }).selectOption('settled');
  await expect(ledger).toHaveURL(/side=earned&state=settled/);
  await expect(entries(ledger)).toHaveCount(1);
  const [download] = await Promise.all([
    ledger.waitForEvent('download'),
    ledger.getByRole('link', { name: 'Export CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('ledger.csv');
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(2);
  // A spreadsheet would take a nonce that begins with a minus for a formula.
  const nonce = challenge.nonce.replace(/^-/, "'-");
  expect(lines[1]).toContain(`${PRICE},solana:local,false,${nonce},${signature}`);
  await ledger.getByRole('combobox', { name: 'State' }).selectOption('refunded');
  await expect(ledger.getByText('No entry matches these filters.')).toBeVisible();
  await ledger.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(call).toBeVisible();
});

test('a payment over the caps waits for a yes: from the tray one is denied and one allowed', async ({
  page,
  context,
  project,
}) => {
  // A new user has one wallet, which would pay itself. Another one counts as soon as the member's file names it.
  await project.api('PATCH', '/team/consultant', {
    pricing: [{ unit: 'request', amount: PRICE, currency: 'lamports', network: 'solana:local' }],
    payment: { modes: ['x402', 'deposit'] },
  });
  await project.api('POST', '/wallets', { name: 'main' });
  await fund(project);
  const id = await openCallForm(page, project);
  await panel(page).getByRole('button', { name: 'Call for up to 5,000 lamports' }).click();
  await expect(panel(page)).toContainText('The agent is paid into the very wallet that pays');
  await expectAccessible(page);
  await price(project);
  await panel(page).getByRole('button', { name: 'Call again' }).click();
  const desk = await context.newPage();
  await open(desk, project);
  await panel(page).getByRole('button', { name: 'Call for up to 5,000 lamports' }).click();
  await expect(payment(page)).toContainText('5,000 lamports are over the cap of 0 for one payment.');
  await expect(payment(page).getByRole('button', { name: /Deny/ })).toBeFocused();
  await expect(page).toHaveURL(/call=call-/);

  await expect(tray(desk)).toHaveText('Needs you (1)');
  await expect(desk).toHaveTitle(/^\(1\) Home/);
  await expect(payment(desk)).toContainText(`Pay 5,000 lamports to ${id} for ask?`);
  await expect(payment(desk)).toContainText(LOCAL);
  await expect(payment(desk).getByText(/^Denied in .* unless you answer\.$/)).toBeVisible();
  await expectAccessible(desk);
  await tabTo(desk, payment(desk).getByRole('button', { name: /^2\s*Deny/ }));
  await expectTakesKeys(payment(desk));
  await desk.keyboard.press('2');
  await expect(desk.getByText('Nothing needs you.')).toBeVisible();
  await expect(panel(page)).toContainText('You denied it.');
  await expect(panel(page)).toContainText('Nothing left the wallet.');

  await panel(page).getByRole('button', { name: 'Call again' }).click();
  await panel(page).getByRole('button', { name: 'Call for up to 5,000 lamports' }).click();
  await expect(payment(desk)).toBeVisible();
  await payment(desk)
    .getByRole('button', { name: /Allow this payment/ })
    .click();
  await expect(desk.getByText('Nothing needs you.')).toBeVisible();
  await expect(panel(page).getByRole('list', { name: 'Payment states' })).toContainText(
    /402: 5,000 lamportspaid200 in/,
  );
});

test('a deposit is filled with a call, once that is allowed', async ({ page, project }) => {
  await price(project);
  await fund(project);
  await openCallForm(page, project);
  await panel(page).getByRole('combobox', { name: 'Paid' }).selectOption('from a deposit');
  await panel(page).getByRole('textbox', { name: 'Top up, lamports' }).fill('20000');
  await panel(page).getByRole('button', { name: 'Call for up to 5,000 lamports' }).click();
  await expect(payment(page)).toContainText('Pay 20,000 lamports');
  await payment(page)
    .getByRole('button', { name: /Allow this payment/ })
    .click();
  await expect(panel(page).getByRole('list', { name: 'Payment states' })).toContainText(
    /from the deposit: 5,000 lamports200 in/,
  );
  await expect(panel(page)).toContainText('-6');
  await page.reload();
  await expectLive(page);
  await expect(panel(page)).toContainText('-6');
  await panel(page).getByRole('link', { name: 'its entry' }).click();
  await expect(entries(page)).toHaveCount(1);
  await expect(entries(page)).toContainText('from a deposit');
  await expect(page.getByRole('region', { name: /^Deposits/ })).toContainText('0.000015 SOL');
  await expect(page.getByRole('region', { name: /^Earnings/ })).toContainText('Held for callers0.000015 SOL');
});

test('under the caps a call pays by itself, and one sees its 402 become a 200', { tag: '@flow' }, async ({
  page,
  project,
}) => {
  await price(project, { modes: ['x402'] });
  await fund(project);
  await open(page, project, '/ledger');
  const caps = page.getByRole('region', { name: 'Caps' });
  await expect(caps).toContainText('Every payment needs your approval: a cap of 0 allows none without it.');
  await caps.getByRole('button', { name: 'Set caps' }).click();
  await page.getByRole('textbox', { name: 'A payment, lamports' }).fill('10,000');
  await page.getByRole('textbox', { name: 'A day, SOL' }).fill('0.0001');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('status')).toHaveText(/^Up to 10,000 lamports a payment and 100,000 lamports a day/);
  await dialog.getByRole('button', { name: 'Set caps' }).click();
  await expect(caps).toContainText('Up to 10,000 lamports a payment');

  await openCallForm(page, project);
  await callSkill(project);
  await panel(page).getByRole('button', { name: 'Call for up to 5,000 lamports' }).click();
  await expect(panel(page).getByRole('list', { name: 'Payment states' })).toContainText(
    /402: 5,000 lamportspaid200 in/,
  );
  await expect(panel(page)).toContainText('-6');
  await expect(panel(page)).toContainText(LOCAL);
  await expectOneRow(page, project);
  const { spent_today_lamports, entries: known } = await project.api<Ledger>('GET', '/ledger?side=spent');
  expect(spent_today_lamports).toBe(PRICE);
  await expect(panel(page)).toContainText(known[0]?.signature ?? 'a signature');
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await expectAccessible(page);
});

/**
 * Expects one row for the call that was paid and earned here, read by keyboard and by mouse, and the request that
 * nobody paid folded. The ten minutes until that expires are skipped in the response.
 */
async function expectOneRow(caller: Page, project: Project): Promise<void> {
  const page = await caller.context().newPage();
  await page.route(/\/ledger\?/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"challenged"', '"expired"') });
  });
  await open(page, project, '/ledger');
  await expect(entries(page)).toHaveCount(1);
  await expect(entries(page)).toContainText(/paid to .*consultant · paid for this call · earned by consultant/);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(entries(page).getByRole('list', { name: 'Payment states' })).toHaveCount(2);
  await expect(entries(page)).toContainText(/Rating\s*(Filed|Not filed)/);
  await expect(entries(page).getByRole('region', { name: 'earned by consultant · paid for this call' })).toBeVisible();
  await expectAccessible(page);
  const expired = page.getByRole('list', { name: 'Expired payment requests' });
  await expect(expired).toHaveCount(0);
  await page.getByText('1 expired payment request: nobody paid within ten minutes').click();
  await expect(expired.getByRole('listitem')).toHaveCount(1);
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.close();
}

test('a receipt is pasted and verified; one that was touched is told from it', async ({ page, project }) => {
  const { receipt } = await project.answer('consultant', QUESTION.text);
  await open(page, project, '/ledger');
  const verify = page.getByRole('region', { name: 'Verify a receipt' });
  await verify.getByRole('textbox').fill(JSON.stringify(receipt));
  await verify.getByRole('button', { name: 'Verify' }).click();
  await expect(verify.getByRole('status')).toContainText('Valid.');
  await verify.getByRole('textbox').fill(JSON.stringify({ ...receipt, answer_sha256: '0'.repeat(64) }));
  await verify.getByRole('button', { name: 'Verify' }).click();
  await expect(verify.getByRole('status')).toContainText('Not valid.');
  await expect(verify.getByRole('status')).toContainText('Not verified in this browser');
  await verify.getByRole('textbox').fill('{');
  await verify.getByRole('button', { name: 'Verify' }).click();
  await expect(verify.getByRole('textbox')).toHaveAccessibleDescription(/That is not JSON/);
});

test('is reached by its keys, and an entry opens by Enter', async ({ page, project }) => {
  await price(project);
  await callSkill(project);
  await open(page, project);
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await expect(page.getByRole('heading', { level: 1, name: 'Payments' })).toBeVisible();
  await expect(page).toHaveTitle(/^Payments/);
  await expect(entries(page)).toHaveCount(1);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(entries(page)).toContainText('Payment requested; the caller has not paid yet.');
});

for (const [path, landmark] of [
  ['/ledger', 'Payments'],
  ['/team/consultant', 'Consultant'],
  ['/team/consultant?tab=file', 'Consultant'],
] as const) {
  test(`fits a screen of 360 px, for everyone and in both themes: ${path}`, async ({ page, project }) => {
    await price(project);
    await fund(project);
    await callSkill(project);
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, project, path);
    await expect(page.getByRole('heading', { level: 1, name: landmark })).toBeVisible();
    await expectDrawn(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    await expectAccessible(page);
  });
}
