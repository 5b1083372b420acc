import { WebSocket } from 'ws';
import type { Board } from '../daemon/contract/boards.js';
import type { ClusterCreated } from '../daemon/contract/clusters.js';
import type { Vis } from '../daemon/contract/wall.js';
import { expect, expectAccessible, type Project, test } from './fixtures.js';

const HOSTILE = [
  '<script>window.struck = 1</script>',
  '<img src="http://evil.test/pixel.png" onerror="window.struck = 2">',
  '"><svg/onload="window.struck=3">',
  'before\u202Egnp.exe\u2066after',
  'unbroken'.repeat(40),
].join(' ');

interface Town {
  id: string;
  admin: string;
  /** Sends a message on the Wall as `agent`. */
  say(agent: string, payload: unknown, vis?: Vis): Promise<void>;
}

const BERLIN = { lat: 52.5163, lon: 13.3777, label: 'Berlin' };

/** Creates a public cluster with a board and a post. */
async function town(project: Project): Promise<Town> {
  const made = await project.api<ClusterCreated>('POST', '/v1/clusters', {
    name: 'Town',
    topic: '#town',
    description: 'Where the town meets.',
    visibility: 'public',
  });
  const admin = made.admin_token as string;
  const path = `/v1/clusters/${made.cluster_id}`;
  const token = { 'x-cluster-token': admin };
  await project.api('PATCH', path, { boards_enabled: true, props: { where: BERLIN } }, token);
  const board = { slug: 'lost', name: 'Lost and found', kind: 'generic', about: 'What was left behind.' };
  const { id } = await project.api<{ id: Board['id'] }>('POST', `${path}/boards`, board, token);
  await project.api('POST', `${path}/boards/${id}/posts?agent=ada`, { title: 'A glove' });
  return {
    id: made.cluster_id,
    admin,
    async say(agent, payload, vis = 'public') {
      const query = new URLSearchParams({ agent, vis });
      const socket = new WebSocket(`${project.address.replace('http', 'ws')}${path}/ws?${query}`);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      // Waits for the ack; earlier frames are about presence.
      const said = new Promise<void>((resolve) =>
        socket.on('message', (data) => (JSON.parse(String(data)) as { kind: string }).kind === 'ack' && resolve()),
      );
      socket.send(JSON.stringify({ payload }));
      await said;
      socket.close();
    },
  };
}

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a browser gets the page of a public cluster and the map, each leading to the other', async ({
    page,
    project,
  }) => {
    await town(project);
    await page.goto(`${project.address}/clusters/town`);
    await expect(page.getByRole('heading', { level: 1, name: 'Town' })).toBeVisible();
    for (const words of ['Where the town meets.', 'What was left behind.', 'A glove', 'meshd cluster watch town']) {
      await expect(page.getByText(words, { exact: true })).toBeVisible();
    }
    await page.getByRole('link', { name: 'Map' }).click();
    await expect(page.getByRole('heading', { level: 3, name: 'Berlin' })).toBeVisible();
    await page.getByRole('listitem').getByRole('link', { name: 'Town' }).first().click();
    await expect(page).toHaveURL(`${project.address}/clusters/town`);
    const missing = await page.goto(`${project.address}/clusters/nowhere`);
    expect(missing?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: 'No such cluster' })).toBeVisible();
  });
});

test('the monitor shows what is said from now on, as text alone, with private members masked', async ({
  page,
  project,
}) => {
  const { say } = await town(project);
  await say('ada', 'nobody heard this');
  await page.goto(`${project.address}/clusters/town`);
  await page.getByRole('link', { name: 'Watch the Wall live' }).click();
  await expect(page.getByRole('status')).toHaveText('Connected.');
  await say('ada', HOSTILE);
  await say(
    'dot',
    { text: 'Found on #lost', media: [{ mime: 'image/png', url: 'http://evil.test/a.png' }] },
    'private',
  );
  await say('shade', 'boo', 'ghost');
  const wall = page.getByRole('log');
  await expect(wall.getByText('<script>window.struck = 1</script>')).toBeVisible();
  await expect(wall.getByText('Found on #lost [image/png]')).toBeVisible();
  await expect(wall.getByText('boo')).toBeVisible();
  await expect(wall).toContainText('private-1');
  await expect(wall).not.toContainText(/dot|shade|nobody heard|[\u202a-\u202e\u2066-\u2069]/);
  expect(await wall.locator('script, img, svg, a').count()).toBe(0);
  expect(await page.evaluate(() => (window as unknown as { struck?: number }).struck)).toBeUndefined();
});

test('the monitor keeps the last 200 lines', async ({ page, project }) => {
  const { id } = await town(project);
  await page.goto(`${project.address}/monitor?id=${id}&vis=public`);
  await expect(page.getByRole('status')).toHaveText('Connected.');
  const socket = new WebSocket(`${project.address.replace('http', 'ws')}/v1/clusters/${id}/ws?agent=ada`);
  await new Promise((resolve) => socket.once('open', resolve));
  for (let n = 1; n <= 350; n += 1) socket.send(`word ${n}`);
  const lines = page.getByRole('log').locator('p');
  await expect(lines.last()).toContainText('word 350');
  await expect(lines).toHaveCount(200);
  socket.close();
});

test('the monitor finds its way back to a daemon that was started again, and says when the cluster is gone', async ({
  page,
  project,
}) => {
  const { id, admin, say } = await town(project);
  await page.goto(`${project.address}/monitor?slug=town`);
  await expect(page.getByRole('status')).toHaveText('Connected.');
  await project.restart();
  await expect(page.getByRole('status')).toHaveText('Connected.');
  await say('ada', 'after the pause');
  await expect(page.getByRole('log')).toContainText('after the pause');
  await project.api('DELETE', `/v1/clusters/${id}`, undefined, { 'x-cluster-token': admin });
  await expect(page.getByRole('status')).toHaveText('The cluster was deleted.');
});

for (const width of [360, 1440]) {
  test(`are readable by everyone at ${width} px, in the light and in the dark`, async ({ page, project }) => {
    await page.setViewportSize({ width, height: 900 });
    const { say } = await town(project);
    for (const path of ['/clusters/town', '/clusters/nowhere', '/map', '/monitor?slug=town']) {
      await page.goto(`${project.address}${path}`);
      if (path.startsWith('/monitor')) {
        await expect(page.getByRole('status')).toHaveText('Connected.');
        await say('ada', HOSTILE);
        await expect(page.getByRole('log')).toContainText('unbroken');
      }
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
    }
  });
}
