import type { Page } from '@playwright/test';
import type { Tier1Card } from '../daemon/contract/network/agents.js';
import { heartbeat, Reporter, register } from './an-agent.js';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

const CARD: Tier1Card = {
  endpoint: 'https://painter.example/',
  description: 'Paints a picture of any harbour.',
  tags: ['image', 'art'],
  category: 'media.image',
  accepts: ['text/plain'],
  produces: ['image/png'],
  protocols: ['http'],
  pricing: { unit: 'image', amount: 120_000, currency: 'lamports' },
};

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const surface = (page: Page, name: 'Hub' | 'Unified API') => page.getByRole('region', { name, exact: true });
const projectName = (project: Project) => project.root.split('/').at(-1) ?? '';

test('both surfaces stand side by side, and half a registration says what mends it', async ({ page, project }) => {
  project.write('card.json', JSON.stringify(CARD));
  await project.meshd(
    'agent',
    'register',
    'painter',
    '--capability',
    'paint',
    '--card',
    'card.json',
    '--surface',
    'hub',
  );
  await open(page, project, '/agents/painter');
  await expect(heading(page, 'painter')).toBeVisible();
  await expect(surface(page, 'Hub')).toContainText('online');
  await expect(surface(page, 'Hub')).toContainText('paint');
  await expect(surface(page, 'Unified API')).toContainText('Not registered.');
  await expect(page.getByText('meshd agent register painter --surface v1')).toBeVisible();
  const card = page.getByRole('region', { name: /^Discovery card/ });
  await expect(card).toContainText('120,000 lamports per image');
  await expect(card.getByRole('link', { name: 'https://painter.example/' })).toHaveAttribute(
    'rel',
    /noopener noreferrer/,
  );
  await expectAccessible(page);

  await project.meshd('agent', 'register', 'painter', '--surface', 'v1');
  await expect(surface(page, 'Unified API')).toContainText('online');
  await expect(page.getByText('--surface v1')).toHaveCount(0);

  await project.meshd('agent', 'rm', 'painter');
  await expect(heading(page, 'There is no such agent')).toBeVisible();
  await expectAccessible(page);
});

test('an agent that falls silent is offline on its page within the moment', async ({ page, project }) => {
  const painter = await register(project, 'painter', CARD);
  await open(page, project, '/agents/painter');
  const state = page.getByRole('main').getByRole('status').first();
  await expect(state).toHaveText('online');
  project.passTime();
  await expect(state).toHaveText('offline');
  await expect(surface(page, 'Hub')).toContainText('offline');
  await heartbeat(project, painter);
  await expect(state).toHaveText('online');
});

test('two cards that differ are told apart', async ({ page, project }) => {
  await register(project, 'painter', CARD);
  await project.api('POST', '/v1/agents/register', {
    agent_id: 'painter',
    agent_card: { ...CARD, category: 'media.oil', tags: ['image'] },
  });
  await open(page, project, '/agents/painter');
  const card = page.getByRole('region', { name: /^Discovery card/ });
  await expect(card.getByText('The card in the directory /v1/agents differs:')).toBeVisible();
  await expect(card.getByRole('listitem').filter({ hasText: 'category' })).toContainText(
    'media.oil instead of media.image',
  );
  await expect(card.getByRole('listitem').filter({ hasText: 'tags' })).toContainText('image instead of image, art');
  await expectAccessible(page);
});

test('a public card is read when one asks for it, and what is in the way is said', async ({ page, project }) => {
  await register(project, 'cellar', { ...CARD, endpoint: 'https://10.0.0.1/' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open(page, project, '/agents/cellar');
  const panel = page.getByRole('region', { name: /^Public card/ });
  await expect(panel.getByRole('button', { name: 'Read its public card' })).toBeVisible();
  expect(asked.filter((address) => address.includes('tier2'))).toEqual([]);
  await panel.getByRole('button', { name: 'Read its public card' }).click();
  await expect(panel).toContainText('There is no card to show.');
  await expect(panel).toContainText('blocked_address');
  const call = page.locator('#call');
  await expect(call).toContainText('It cannot be called: its card was not read. 10.0.0.1 is not an address');
  await expect(call.getByRole('button', { name: 'Read the card again' })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${project.address}/app/agents/${projectName(project)}-consultant`);
  await panel.getByRole('button', { name: 'Read its public card' }).click();
  await expect(panel.getByText('Ask Consultant', { exact: true })).toBeVisible();
  await expect(panel).toContainText('1 skill');
  await expectAccessible(page);
});

test('signed reports make the reputation, drawn and in numbers, while one looks', async ({ page, project }) => {
  await register(project, 'painter', CARD);
  await open(page, project, '/agents/painter');
  const reputation = page.getByRole('region', { name: /^Reputation/ });
  await expect(reputation).toContainText('No reports about this agent.');
  await expect(reputation.getByRole('img')).toHaveCount(0);

  const [pleased, cross] = [new Reporter(project), new Reporter(project)];
  await pleased.report('painter', { dims: { reliability: 1, quality: 0.8 } });
  await expect(reputation.getByText('1 report', { exact: true })).toBeVisible();
  await expect(reputation).toContainText('0.91 of 1');
  await cross.report('painter', { dims: { reliability: 0 } });
  await expect(reputation.getByText('2 reports')).toBeVisible();

  const rows = reputation.getByRole('table').getByRole('row');
  await expect(rows).toHaveCount(3);
  await expect(rows.nth(1)).toContainText('reliability 0.00');
  await expect(rows.nth(1)).toContainText('unknown key');
  await expect(rows.nth(2)).toContainText('reliability 1.00, quality 0.80');
  await expect(rows.nth(2)).toContainText('0.91');
  await expect(
    reputation.getByRole('img', { name: /^The score after each of 2 reports, from 0\.91 to 0\.63/ }),
  ).toBeVisible();
  await expect(reputation.getByRole('link', { name: /^The signed log/ })).toHaveAttribute(
    'href',
    '/v1/reputation/painter/reports',
  );
  await reputation.getByText('How the score is computed').click();
  await expect(reputation).toContainText('halves every 90 days');
  await expectAccessible(page);
});

test('what an agent says of itself stays words', async ({ page, project, foreignRequests }) => {
  const nasty = '<img src=https://evil.example/x.png onerror=alert(1)> \u202eevil';
  await project.api('POST', '/agents/register', {
    agent_id: 'nasty',
    capabilities: [nasty.slice(0, 60)],
    agent_card: { ...CARD, endpoint: 'https://evil.example/', description: nasty, tags: ['\u202egpj'] },
  });
  for (const path of ['/agents/nasty', '/find?q=evil']) {
    await open(page, project, path);
    await expect(page.getByText('<img src=https://evil.example/x.png').first()).toBeVisible();
    expect(await page.getByRole('main').innerText()).not.toMatch(/\u202e/);
    await expect(page.locator('main img')).toHaveCount(0);
  }
  await page.goto(`${project.address}/agent/nasty`);
  await expect(page.getByText('<img src=https://evil.example/x.png').first()).toBeVisible();
  await expect(page.locator('img')).toHaveCount(0);
  expect(foreignRequests).toEqual([]);
});

test('a catalog entry that nobody has claimed is shown as what it is', async ({ page, project }) => {
  project.write(
    'catalog.jsonl',
    `${JSON.stringify({ agent_id: 'old-painter', name: 'Old Painter', description: 'Out of a list.', url: 'https://list.example/', tags: ['art'], country: 'IT', source: 'list.example' })}\n`,
  );
  await project.meshd('catalog', 'import', 'catalog.jsonl');
  await open(page, project, '/agents/old-painter');
  await expect(page.getByText('in a catalog, not registered')).toBeVisible();
  await expect(page.getByText('meshd agent register old-painter')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Catalog entry' })).toContainText('list.example');
  await expect(page.getByRole('link', { name: 'Public page' })).toHaveCount(0);
  await expectAccessible(page);
});

test('an exposed member is an agent on both surfaces as long as it is exposed', async ({ page, project }) => {
  const agentId = `${projectName(project)}-consultant`;
  await open(page, project, '/system/health');
  const registrations = page.getByRole('region', { name: /^Registrations/ });
  const row = registrations.getByRole('listitem').filter({ hasText: agentId });
  await expect(row).toContainText(/Hub\s*online/);
  await expect(row).toContainText(/Unified API\s*online/);
  await expect(row.getByText(/^heartbeat .* token .* old$/)).toHaveCount(2);
  await expectAccessible(page);

  await page.goto(`${project.address}/app/team/consultant`);
  await page.getByRole('region', { name: 'As an agent' }).getByRole('link', { name: agentId }).first().click();
  await expect(heading(page, agentId)).toBeVisible();
  await expect(page.getByText('member of this project', { exact: true })).toBeVisible();
  await expect(
    page.getByRole('region', { name: 'How to call it' }).getByRole('link', { name: 'consultant' }),
  ).toBeVisible();

  await page.goto(`${project.address}/app/system/health`);
  await expect(row).toBeVisible();
  await project.meshd('team', 'hide', 'consultant');
  await expect(registrations).toContainText('No registrations: no member is exposed.');
  await expectAccessible(page);
});

test('the public page needs no script, and is the card for whoever asks for JSON', async ({
  browser,
  page,
  project,
}) => {
  await register(project, 'painter', CARD);
  await new Reporter(project).report('painter', { dims: { reliability: 1 } });
  await open(page, project, '/agents/painter');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Public page' }).click();
  const landing = await opened;
  await expect(landing).toHaveURL(`${project.address}/agent/painter`);
  await expectAccessible(landing);

  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  const plain = await context.newPage();
  await plain.goto(`${project.address}/agent/painter`);
  await expect(heading(plain, 'painter')).toBeVisible();
  await expect(plain.getByText('Paints a picture of any harbour.')).toBeVisible();
  await expect(plain.getByText('Online', { exact: true })).toBeVisible();
  await expect(plain.getByText('120,000 lamports per image')).toBeVisible();
  await expect(plain.getByText('1.00 of 1 from 1 signed report')).toBeVisible();
  await expect(plain.locator('script')).toHaveCount(0);
  await plain.goto(`${project.address}/agent/nobody`);
  await expect(heading(plain, 'No such agent')).toBeVisible();
  await context.close();

  const card = await project.api<typeof CARD>('GET', '/agent/painter', undefined, { accept: 'application/json' });
  expect(card).toEqual(CARD);
});
