import type { Page } from '@playwright/test';
import { makeCluster } from './a-peer.js';
import { Reporter, register } from './an-agent.js';
import { arrived, go, SYSTEM_PARTS } from './every-page.js';
import { expect, expectAccessible, open, type Project, test, WITH_MOTION } from './fixtures.js';
import { findOverflowing, tooSmall } from './readable.js';

test.use({ ...WITH_MOTION, hasTouch: true, isMobile: true, viewport: { width: 360, height: 780 } });

const toTitle = (part: string) => `${part[0]?.toUpperCase()}${part.slice(1)}`;

async function tour(page: Page, project: Project, see: (path: string) => Promise<void>): Promise<void> {
  const { request_id } = await project.answer('consultant', 'What is the default of LAMP_ANGLE?');
  await register(
    project,
    'painter',
    {
      endpoint: 'https://painter.example/',
      description: `Paints ${'anything'.repeat(40)}`,
      tags: ['image', 'x'.repeat(64)],
      protocols: ['http'],
    },
    ['paint'],
  );
  await new Reporter(project).report('painter', { dims: { reliability: 1, speed: 0.5, quality: 0.5, settlement: 1 } });
  project.write(
    '.mesh/team/ui-reviewer.md',
    '---\nname: [a-name-that-does-not-end-and-has-no-place-to-break-at-all-in-it\n---\n',
  );
  await visit(page, project, see, [
    ['', 'Home'],
    ['/team', 'Team'],
    ['/team/consultant', 'Consultant'],
    ['/team/consultant?tab=file', 'Consultant'],
    ['/team/consultant?tab=file&as=raw', 'Consultant'],
    ['/team/consultant?tab=file&as=diff', 'Consultant'],
    ['/team/consultant?tab=access', 'Consultant'],
    ['/team/consultant?tab=access&snippet=card', 'Consultant'],
    ['/team/ui-reviewer', 'UI Reviewer'],
    ['/team?make=form', 'Team'],
    ['/team?make=draft', 'Team'],
    ['/requests', 'Requests'],
    [`/requests/${request_id}`, 'Ask to Consultant'],
    [`/requests/${request_id}?file=README.md&from=11&to=11`, 'Ask to Consultant'],
    ['/find?q=paint', 'Agent search'],
    ['/find?q=paint&tags=image&price=1&country=NO', 'Agent search'],
    ['/agents/painter', 'painter'],
    ['/ledger', 'Payments'],
    ...SYSTEM_PARTS.map((part) => [`/system/${part}`, toTitle(part)] as const),
    ['/requests?tab=refused', 'Requests'],
    ['/requests?tab=usage', 'Requests'],
    ['/nowhere', 'There is no such page'],
  ]);
}

async function tourClusters(page: Page, project: Project, see: (path: string) => Promise<void>): Promise<void> {
  const cluster = await makeCluster(project, {
    name: `Harbour ${'crew'.repeat(18)}`,
    topic: 'x'.repeat(80),
    visibility: 'private',
  });
  await project.api('POST', '/rooms', {
    cluster_id: cluster.cluster_id,
    token: cluster.token,
    admin_token: cluster.admin_token,
  });
  const path = `/rooms/${cluster.cluster_id}`;
  await visit(page, project, see, [
    ['/rooms', 'Clusters'],
    ['/rooms?make=new', 'Clusters'],
    ['/rooms?make=join', 'Clusters'],
    [path, 'Harbour crew'],
    [`${path}?people=shown`, 'Harbour crew'],
    [`${path}?tab=boards`, 'Harbour crew'],
    [`${path}?tab=rules`, 'Harbour crew'],
    [`${path}?tab=share`, 'Harbour crew'],
    ['/rooms/the-commons', 'The Commons'],
  ]);
}

async function visit(
  page: Page,
  project: Project,
  see: (path: string) => Promise<void>,
  places: readonly (readonly [path: string, landmark: string])[],
): Promise<void> {
  await open(page, project, '/export');
  for (const [path, landmark] of places) {
    await go(page, path);
    await arrived(page, landmark);
    await see(path);
  }
}

for (const [what, goAround] of [
  ['page', tour],
  ['room', tourClusters],
] as const) {
  test(`no ${what} is wider than a screen of 320 px or 360 px, and a finger finds every control`, async ({
    page,
    project,
  }) => {
    await page.setViewportSize({ width: 320, height: 780 });
    await goAround(page, project, async (path) => {
      for (const width of [320, 360]) {
        await page.setViewportSize({ width, height: 780 });
        expect(await findOverflowing(page), `${path} at ${width} px`).toEqual([]);
        expect(await tooSmall(page), `${path} at ${width} px`).toEqual([]);
      }
      await page.setViewportSize({ width: 320, height: 780 });
    });
  });
}

test('the main pages hold to the rules on a phone too', async ({ page, project }) => {
  await register(project, 'painter', {
    endpoint: 'https://painter.example/',
    description: 'Paints.',
    tags: ['image'],
    protocols: ['http'],
  });
  await open(page, project, '/export');
  for (const [path, name] of [
    ['', 'Home'],
    ['/team', 'Team'],
    ['/team/consultant?tab=access', 'Consultant'],
    ['/requests', 'Requests'],
    ['/find', 'Agent search'],
    ['/agents/painter', 'painter'],
    ['/system/security', 'Security'],
  ] as const) {
    await go(page, path);
    await arrived(page, name);
    await expectAccessible(page);
  }
});

test('one asks and reads the cited lines by tapping', async ({ page, project }) => {
  await open(page, project);
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Team' }).tap();
  await page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Consultant', exact: true }).tap();
  const views = page.getByRole('navigation', { name: 'Consultant' });
  await views.getByText('View: Overview').press('Enter');
  await expectAccessible(page);
  await views.getByRole('link', { name: 'API access' }).press('Enter');
  await expect(page).toHaveURL(/tab=access/);
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('textbox').fill('What is the default of LAMP_ANGLE?');
  await trial.getByRole('button', { name: 'Ask', exact: true }).tap();
  await trial.getByRole('list', { name: 'Citations' }).getByRole('link', { name: 'README.md:11' }).tap();
  const file = page.getByRole('dialog', { name: 'README.md:11' });
  await expect(file.getByRole('listitem').filter({ hasText: 'LAMP_ANGLE' })).toBeInViewport();
  expect(await findOverflowing(page)).toEqual([]);
  await expectAccessible(page);
  await file.getByRole('button', { name: 'Close the file' }).tap();
  await expect(file).toHaveCount(0);
  await main.getByRole('link', { name: 'Requests' }).tap();
  await expect(page.getByRole('list', { name: 'Requests' }).getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: /Go to/ }).tap();
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('option', { name: 'System' }).tap();
  await expect(main.getByRole('link', { name: 'System' })).toBeInViewport();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

for (const { named, viewport } of [
  { named: 'on a phone', viewport: { width: 360, height: 780 } },
  { named: 'in a low window', viewport: { width: 1280, height: 220 } },
])
  test(`where one is can be seen in the rail ${named}`, async ({ page, project }) => {
    await page.setViewportSize(viewport);
    await open(page, project, '/system');
    const rail = page.getByRole('navigation', { name: 'Main' });
    await expect(rail.getByRole('link', { name: 'System' })).toBeInViewport({ ratio: 1 });
    await expect(rail.getByRole('link', { name: 'Home' })).not.toBeInViewport();
  });
