import type { SelfRegistrationList } from '../daemon/contract/network/self-registration.js';
import { PRINTER_CARD } from '../daemon/testing/apps/an-agent.js';
import { expect, expectAccessible, type Project, test } from './fixtures.js';

const CARD = { ...PRINTER_CARD, description: 'Prints posters on demand and ships them within the day.' };

const HOSTILE = [
  '<script>window.struck = 1</script>',
  '<img src="http://evil.test/pixel.png" onerror="window.struck = 2">',
  '"><svg/onload="window.struck=3">',
  '</title><style>*{display:none}</style>',
  'before\u202Egnp.exe\u2066after',
  'unbroken'.repeat(60),
].join(' ');

const register = (project: Project, agent_id: string, agent_card: object) =>
  project.api('POST', '/agents/register', { agent_id, capabilities: [], agent_card });

async function findRegisteredAgent(project: Project, member: string): Promise<string> {
  const { registrations } = await project.api<SelfRegistrationList>('GET', '/registrations');
  return registrations.find((one) => one.member === member)?.surfaces.hub.agent_id ?? '';
}

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a browser gets the page of an agent: what it is, what it costs, and how to call it', async ({
    page,
    project,
  }) => {
    await register(project, 'printer', CARD);
    const answer = await page.goto(`${project.address}/agent/printer`);
    expect(answer?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1, name: 'printer' })).toBeVisible();
    for (const words of [
      CARD.description,
      'Online',
      '$0.25 per poster',
      'media.print',
      'Not yet rated: nobody has filed a report.',
    ]) {
      await expect(page.getByText(words, { exact: true })).toBeVisible();
    }
    await expect(page.getByText("curl -s 'https://printer.example/agents/one/.well-known/agent.json'")).toBeVisible();
    const missing = await page.goto(`${project.address}/agent/plotter`);
    expect(missing?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: 'No such agent' })).toBeVisible();
  });
});

for (const width of [360, 1440]) {
  test(`is readable by everyone at ${width} px, in the light and in the dark`, async ({ page, project }) => {
    await page.setViewportSize({ width, height: 900 });
    await register(project, 'printer', CARD);
    for (const id of ['printer', await findRegisteredAgent(project, 'consultant'), 'nobody']) {
      await page.goto(`${project.address}/agent/${id}`);
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
    }
  });
}

test('an agent that says hostile things of itself is shown word for word, and nothing of it runs or loads', async ({
  page,
  project,
}) => {
  page.on('dialog', (dialog) => {
    throw new Error(`A dialog opened: ${dialog.message()}`);
  });
  await page.setViewportSize({ width: 360, height: 900 });
  await register(project, 'hostile', {
    description: HOSTILE,
    tags: HOSTILE.split(' ').map((word) => word.slice(0, 64)),
    protocols: ['http', '<svg/onload=struck=4>'],
    pricing: { unit: '<b onclick=struck=5>', amount: 1, currency: 'lamports' },
    endpoint: `https://agent.example/${'long'.repeat(200)}/'%22><script>`,
  });
  await page.goto(`${project.address}/agent/hostile`);
  await expect(page.getByText('<script>window.struck = 1</script>').first()).toBeVisible();
  expect(await page.evaluate(() => 'struck' in window)).toBe(false);
  expect(await page.locator('script, img, svg, style, iframe, b, i').count()).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
});
