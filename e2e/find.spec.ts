import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import type { Tier1Card } from '../daemon/contract/network/agents.js';
import { PAINTER_CARD, SKETCHER_CARD } from '../scripts/demo/harbour-cards.js';
import { heartbeat, register } from './an-agent.js';
import { expect, expectAccessible, expectLive, open, type Project, tabTo, test } from './fixtures.js';

const run = promisify(execFile);
const MESHD = join(process.env['MESHD_E2E_DIST'] ?? fileURLToPath(new URL('../dist', import.meta.url)), 'meshd.js');

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const PAINTER: Tier1Card = { ...PAINTER_CARD, pricing: { unit: 'image', amount: 40, currency: 'USD' } };
const ENGRAVER: Tier1Card = {
  endpoint: 'https://engraver.example/',
  description: 'Engraves a picture of a harbour on copper.',
  tags: ['image'],
  protocols: ['http'],
  pricing: { unit: 'plate', amount: 120_000, currency: 'lamports' },
};

const found = (page: Page) => page.getByRole('list', { name: 'Found agents' });
const names = (page: Page) => found(page).locator('[data-row]').allTextContents();
const leftOut = (page: Page) => page.getByRole('list', { name: 'Left out by filters' });
const words = (page: Page) => page.getByRole('searchbox', { name: 'What should the agent do?' });

async function expectFound(page: Page, ...expected: string[]): Promise<void> {
  await expect.poll(async () => (await names(page)).sort()).toEqual([...expected].sort());
}

async function registerThree(project: Project): Promise<void> {
  await register(project, 'painter', PAINTER, ['paint']);
  await register(project, 'sketcher', SKETCHER_CARD, ['sketch']);
  await register(project, 'engraver', ENGRAVER);
}

test('an agent that registers appears by itself, and is found by what it does', { tag: '@flow' }, async ({
  page,
  project,
}) => {
  await open(page, project, '/find');
  await expectFound(page, `${project.root.split('/').at(-1)}-consultant`);
  await expectAccessible(page);

  project.write('card.json', JSON.stringify(PAINTER));
  await project.meshd('agent', 'register', 'painter', '--capability', 'paint', '--card', 'card.json');
  await expect(found(page).getByRole('listitem').filter({ hasText: 'painter' })).toContainText('online');

  await page.keyboard.press('/');
  await expect(words(page)).toBeFocused();
  await page.keyboard.type('paint a picture');
  await expect(page).toHaveURL(/[?&]q=paint(\+|%20)a(\+|%20)picture/);
  await expect(page).toHaveTitle(/^Agent search: paint a picture/);
  const row = found(page).getByRole('listitem').first();
  await expect(row).toContainText('painter');
  await expect(row).toContainText('$0.40 per image');
  await expect(row).toContainText('http, a2a');

  await tabTo(page, row.locator('summary'));
  await page.keyboard.press('Enter');
  await expect(row.getByText(/^Found by its (text|meaning|capabilities)/)).toBeVisible();
  for (const part of ['Text', 'Meaning', 'Capability', 'Reputation'])
    await expect(row.getByText(part, { exact: true })).toBeVisible();
  await expect(row).toContainText('no reports yet: counts as 0.50');
  await expectAccessible(page);

  await row.locator('[data-row]').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'painter' })).toBeVisible();
  await page.goBack();
  await expect(words(page)).toHaveValue('paint a picture');

  await project.meshd('agent', 'rm', 'painter');
  await expect(row.filter({ hasText: 'painter' })).toHaveCount(0);
});

test.describe('each filter', () => {
  const filters = [
    {
      label: 'Capability',
      typed: 'paint',
      address: 'capability=paint',
      fits: ['painter'],
      left: /without the capability “paint”/,
    },
    {
      label: 'Tags (all)',
      typed: 'image, art',
      address: 'tags=image',
      fits: ['painter'],
      left: /without all the tags “image, art”/,
    },
    {
      label: 'Category',
      typed: 'media',
      address: 'category=media',
      fits: ['painter', 'sketcher'],
      left: /without a category/,
    },
    {
      label: 'Protocols',
      typed: 'mcp, a2a',
      address: 'protocols=',
      fits: ['painter', 'sketcher'],
      left: /without the protocol “mcp, a2a”/,
    },
    {
      label: 'Accepts',
      typed: 'text/plain',
      address: 'input=text',
      fits: ['painter'],
      left: /does not accept “text\/plain”/,
    },
    {
      label: 'Produces',
      typed: 'image/svg+xml',
      address: 'output=image',
      fits: ['sketcher'],
      left: /does not produce “image\/svg\+xml”/,
    },
    {
      label: 'Maximum price',
      typed: '0.05',
      address: 'price=0.05',
      fits: ['sketcher'],
      left: /price above \$0\.05/,
    },
    { label: 'Country', typed: 'no', address: 'country=NO', fits: ['painter'], left: /not in NO/ },
  ];

  test('stands in the address, says what it left out, and lets go with one press', async ({ page, project }) => {
    await registerThree(project);
    await open(page, project, '/find?q=picture%20of%20a%20harbour');
    await expectFound(page, 'engraver', 'painter', 'sketcher');
    await page.getByRole('button', { name: 'More filters' }).click();
    for (const { label, typed, address, fits, left } of filters) {
      const field = page.getByRole('textbox', { name: label });
      await field.fill(typed);
      await expectFound(page, ...fits);
      expect(page.url()).toContain(address);
      const line = leftOut(page).getByRole('listitem').filter({ hasText: left });
      await line.getByRole('link').click();
      await expect(field).toHaveValue('');
      await expectFound(page, 'engraver', 'painter', 'sketcher');
    }
  });

  test('is there again after a reload, together with the others', async ({ page, project }) => {
    await registerThree(project);
    await open(page, project, '/find?q=picture&protocols=http&price=1&limit=10');
    await expectFound(page, 'painter');
    await expect(page.getByRole('textbox', { name: 'Protocols' })).toHaveValue('http');
    await expect(page.getByRole('textbox', { name: 'Maximum price' })).toHaveValue('1');
    await expect(leftOut(page)).toContainText(
      '1 agent excluded: not comparable, priced in lamports, which have no rate here',
    );
    await expectAccessible(page);
    await page.reload();
    await expectLive(page);
    await expectFound(page, 'painter');
  });

  test('that makes no sense is said at the field and changes nothing', async ({ page, project }) => {
    await registerThree(project);
    await open(page, project, '/find?q=picture&price=1');
    const price = page.getByRole('textbox', { name: 'Maximum price' });
    await price.fill('cheap');
    await expect(price).toHaveAccessibleDescription(/An amount, 0 or more/);
    expect(page.url()).toContain('price=1');
    await price.fill('0.0');
    await expect(page).toHaveURL(/price=0(&|$)/);
    await expect(price).toHaveValue('0.0');
    await expectFound(page, 'sketcher');
  });
});

test('when nothing fits, the filters to blame are named', async ({ page, project }) => {
  await registerThree(project);
  await open(page, project, '/find?q=picture&tags=sculpture&country=NO');
  await expect(page.getByText('No agent matches these filters.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear the 2 filters' }).click();
  await expectFound(page, 'engraver', 'painter', 'sketcher');

  await page.goto(`${project.address}/app/find?q=zymurgy%20quux`);
  await expect(page.getByText('No agent matches this search.')).toBeVisible();
  await words(page).fill('zymurgist');
  await page.getByRole('link', { name: 'Open the agent named zymurgist' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such agent' })).toBeVisible();
});

test('when nothing is registered, Find says how to begin', async ({ page, project }) => {
  await open(page, project, '/find');
  await expect(found(page).getByRole('listitem')).toHaveCount(1);
  await project.meshd('team', 'hide', 'consultant');
  await expect(page.getByText('No agent is registered yet.')).toBeVisible();
  await expect(page.getByText(/^meshd agent register painter/)).toBeVisible();
  await expectAccessible(page);
});

test('a long answer is read on', async ({ page, project }) => {
  for (let at = 0; at < 25; at += 1) {
    await register(project, `resizer-${at}`, {
      ...ENGRAVER,
      endpoint: `https://r${at}.example/`,
      description: `Resizes an image to ${at} pixels.`,
    });
  }
  await open(page, project, '/find?q=resize%20an%20image&limit=10');
  await expect(found(page).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(found(page).getByRole('listitem')).toHaveCount(20);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(found(page).getByRole('listitem')).toHaveCount(25);
  await expect(page.getByText('25 agents')).toBeVisible();
  await page.getByRole('combobox', { name: 'Results per page' }).selectOption('50');
  await expect(page).toHaveURL(/limit=50/);
  await expect(found(page).getByRole('listitem')).toHaveCount(25);
});

test('the same search runs in a terminal', async ({ page, project }) => {
  await registerThree(project);
  await open(page, project, "/find?q=it's%20a%20picture&protocols=http&category=media.image&online=any");
  await expectFound(page, 'painter');
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toMatch(/^meshd find /);
  const { stdout } = await run('sh', ['-c', command.replace(/^meshd/, `"${process.execPath}" "${MESHD}"`)], {
    cwd: project.root,
  });
  expect(stdout).toContain('painter');
  expect(stdout).not.toContain('sketcher');
});

test('an agent that falls silent goes offline before one’s eyes, and comes back with its next heartbeat', async ({
  page,
  project,
}) => {
  const painter = await register(project, 'painter', PAINTER);
  await register(project, 'sketcher', SKETCHER_CARD);
  await open(page, project, '/find?q=picture&online=any');
  const row = (id: string) => found(page).getByRole('listitem').filter({ hasText: id });
  await expect(row('painter')).toContainText('online');
  project.passTime();
  await expect(row('painter')).toContainText('offline');
  await expect(row('sketcher')).toContainText('offline');
  await expectAccessible(page);

  await page.getByRole('checkbox', { name: 'Online only' }).check();
  await expect(leftOut(page)).toContainText('2 agents excluded: offline');
  await heartbeat(project, painter);
  await expectFound(page, 'painter');
  await leftOut(page).getByRole('link', { name: 'Include offline agents' }).click();
  await expect(page).toHaveURL(/online=any/);
  await expectFound(page, 'painter', 'sketcher');
});

test('Find and agents are a few keys away', async ({ page, project }) => {
  await register(project, 'painter', PAINTER);
  await open(page, project);
  await page.keyboard.press('g');
  await page.keyboard.press('f');
  await expect(page.getByRole('heading', { level: 1, name: 'Agent search' })).toBeVisible();
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agent search' }),
  ).toHaveAttribute('aria-current', 'page');
  await expectFound(page, `${project.root.split('/').at(-1)}-consultant`, 'painter');
  await page.keyboard.press('j');
  await expect(found(page).locator('[data-row]').first()).toBeFocused();

  const palette = page.getByRole('dialog', { name: 'Go to' });
  const box = palette.getByRole('combobox');
  await page.keyboard.press('ControlOrMeta+k');
  await box.fill('painter');
  await expect(palette.getByRole('option', { name: /^painter/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'painter' })).toBeVisible();

  await page.keyboard.press('ControlOrMeta+k');
  await box.fill('draw a boat');
  await palette.getByRole('option', { name: 'Find agents for “draw a boat”' }).click();
  await expect(words(page)).toHaveValue('draw a boat');
});

test('from its row an agent is looked at, its card’s address taken along, and asked', { tag: '@flow' }, async ({
  page,
  project,
}) => {
  await open(page, project, '/find');
  const id = `${project.root.split('/').at(-1)}-consultant`;
  const row = found(page).getByRole('listitem').filter({ hasText: id });
  const landing = `${project.address}/agent/${id}`;
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    row.getByRole('link', { name: /^Public page/ }).click(),
  ]);
  await expect(tab).toHaveURL(landing);
  await tab.close();

  await row.getByRole('button', { name: 'Copy card URL' }).click();
  await expect(row.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${landing}/.well-known/agent.json`);

  await row.getByRole('link', { name: /^Ask/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: id })).toBeVisible();
  await expect(page.locator('#call')).toBeFocused();
  await expect(page.locator('#call').getByRole('button', { name: /^Call/ })).toBeVisible();
});
