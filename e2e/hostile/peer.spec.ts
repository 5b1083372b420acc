import type { Page } from '@playwright/test';
import type { ClusterAnswer } from '../../daemon/contract/clusters.js';
import { NETWORK_REFUSALS_MAX, type NetworkMember, type NetworkStatus } from '../../daemon/contract/shared/network.js';
import type { NetworkAgent } from '../../daemon/contract/shared/network-asks.js';
import { createClusterWithBoards } from '../a-board.js';
import { makeCluster, Peer } from '../a-peer.js';
import { expect, type Project, test } from '../fixtures.js';
import { CORPUS } from './corpus.js';
import { PlantedFields } from './planting.js';

const HANDLES = 12;
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const b64 = (text: string) => Buffer.from(text).toString('base64');

const NETWORK_FIELDS = [
  ...(['network.daemon', 'network.server', 'network.refusal', 'network.problem'] as const),
  ...(['network.member', 'network.about', 'network.price'] as const),
] as const;
const ANSWER_FIELDS = ['network.answer', 'network.quote', 'network.asked'] as const;

/** Lets the daemon answer as in a network of others' daemons and server. */
async function plantNetwork(page: Page, planting: PlantedFields): Promise<void> {
  const words = planting.words.bind(planting);
  const refusals = [...CORPUS.keys()].slice(0, NETWORK_REFUSALS_MAX).map((turn) => ({
    ...{ sequence: turn, key: 'key', reason: words('network.refusal', turn), message: words('network.refusal', turn) },
  }));
  const status: NetworkStatus = {
    ...{
      state: 'stopped',
      network: 'docks',
      url: 'tls://nats.example',
      daemon: 'key',
      sequence: 1,
      lag: 1,
      replicas: 1,
    },
    server: { name: words('network.server'), version: '2.9.10', address: 'nats.example:4222' },
    ...{ fsync: 'unknown', promise: 'None.', problem: words('network.problem'), refused: CORPUS.length, refusals },
    frames: { sent: 0, received: 0, dropped: [] },
  };
  const joined_at = new Date(0).toISOString();
  const members = [...CORPUS.keys()].map(
    (turn): NetworkMember => ({
      ...{ id: `daemon-${turn}`, name: words('network.daemon', turn), self: turn === 0, present: turn % 2 === 0 },
      ...{ last_seen_at: null, joined_at, left_at: turn % 3 === 0 ? joined_at : null },
    }),
  );
  await page.route(/\d\/network$/, (route) => route.fulfill({ json: status }));
  await page.route(/\d\/network\/members$/, (route) => route.fulfill({ json: { members, count: members.length } }));
}

/** Lets other daemons share members of such names, and answer in such words. */
async function plantColleagues(
  page: Page,
  planting: PlantedFields,
): Promise<{ ref: string; answer: (ask: object) => void }> {
  const words = planting.words.bind(planting);
  const agents = [...CORPUS.keys()].map(
    (turn): NetworkAgent => ({
      ...{
        ref: words('network.member', turn),
        project: words('network.member', turn),
        name: words('network.member', turn),
      },
      ...{ member: 'consultant', daemon: `daemon-${turn}`, daemon_name: words('network.about', turn), self: false },
      ...{ description: words('network.about', turn), problem: turn % 2 === 0 ? null : 'It has a price.' },
      price: { amount: 1, currency: words('network.price', turn), unit: words('network.price', turn + 1) },
    }),
  );
  let ask: object = {};
  const head = { to: words('network.asked'), daemon: 'daemon-0', daemon_name: words('network.asked'), member: 'x' };
  await page.route(/\d\/network\/agents$/, (route) => route.fulfill({ json: { agents, count: agents.length } }));
  await page.route(/\d\/network\/asks/, (route) =>
    route.fulfill({ status: route.request().method() === 'POST' ? 202 : 200, json: { ...head, ...ask } }),
  );
  return { ref: agents[0]?.ref ?? '', answer: (next) => (ask = next) };
}

/** What another daemon answers, and why it does not. */
async function lookAtAnswers(page: Page, project: Project, planting: PlantedFields): Promise<void> {
  const words = planting.words.bind(planting);
  const { ref, answer } = await plantColleagues(page, planting);
  const ended = { text: 'x', created_at: new Date(0).toISOString(), finished_at: new Date(0).toISOString() };
  const citations = [...CORPUS.keys()].map((turn) => ({
    ...{ path: words('network.quote', turn), quote: words('network.quote', turn), status: 'checked', commit: null },
    ...{ start_line: 1, end_line: 2, sha256: `${turn}` },
  }));
  await planting.visit(page, project, `/network?ask=${encodeURIComponent(ref)}`, 'network.member', 'network.about');
  const asking = page.getByRole('dialog');
  await asking.getByRole('textbox', { name: 'Question' }).fill('x');
  answer({ ...ended, id: 'refused', status: 'error', error: { code: 'internal', message: words('network.failure') } });
  await asking.getByRole('button', { name: 'Ask', exact: true }).click();
  await planting.look(page, 'a refused ask of the network', 'network.failure');
  answer({ ...ended, id: 'answered', status: 'running', finished_at: null, text_so_far: words('network.answer', 1) });
  await asking.getByRole('button', { name: 'Ask', exact: true }).click();
  await planting.look(page, 'an answer of the network as it is written', 'network.answer');
  answer({ ...ended, id: 'answered', status: 'done', result_text: words('network.answer'), citations });
  await planting.look(page, 'an answer of the network', ...ANSWER_FIELDS);
}

test('what is said in clusters and on boards is only text', async ({ page, project }) => {
  test.slow();
  const planting = new PlantedFields('peer');
  const words = planting.words.bind(planting);
  const place = (turn: number) => ({ lat: (turn % 60) - 30, lon: turn, label: words('cluster.place', turn) });
  const cluster = (turn: number) => ({
    name: words('cluster.name', turn),
    topic: words('cluster.topic', turn),
    description: words('cluster.description', turn),
    visibility: 'public' as const,
  });
  const savedCluster = await createClusterWithBoards(project, {
    ...cluster(0),
    props: { where: place(0), entry: { require: [0, 20, 40].map((turn) => words('cluster.require', turn)) } },
  });
  await project.api('PATCH', `/rooms/${savedCluster.id}`, { handle: planting.seenWords('wall.handle') });
  for (const turn of CORPUS.keys()) {
    if (turn % 2 === 1) await makeCluster(project, cluster(turn));
    if (turn % 4 === 0)
      await savedCluster.board({
        slug: `board-${turn}`,
        name: words('board.name', turn),
        about: words('board.about', turn),
        props: { where: place(turn) },
      });
  }
  await savedCluster.board({
    slug: 'days',
    kind: 'events',
    name: words('board.name', 3),
    about: words('board.about', 3),
  });
  await savedCluster.post('days', 'ada', {
    title: `2026-12-05 ${words('post.title', 5)}`.slice(0, 200),
    body: words('post.body', 7),
  });
  const posts: string[] = [];
  for (const turn of CORPUS.keys()) {
    const { id } = await savedCluster.post('board-0', encodeURIComponent(planting.seenWords('post.author', turn)), {
      title: words('post.title', turn),
      body: words('post.body', turn),
      file: {
        url: `http://evil.test/${encodeURIComponent(words('post.file.url', turn)).slice(0, 1_500)}`,
        mime: 'text/html',
      },
      props: { where: { lat: turn, lon: -turn, label: words('post.place', turn) } },
    });
    posts.push(id);
  }

  await planting.visit(page, project, '/rooms', 'cluster.name', 'cluster.topic');
  await planting.visit(page, project, `/rooms/${savedCluster.id}`, 'cluster.name', 'wall.handle');
  const peers: Peer[] = [];
  for (let at = 1; at <= HANDLES; at += 1)
    peers.push(
      await Peer.join(project, savedCluster.id, planting.seenWords('wall.handle', at * 5), savedCluster.token),
    );
  const [ada] = peers as [Peer];
  for (const turn of CORPUS.keys()) if (turn % 5 === 0) ada.say(words('wall.text', turn));
  ada.say({ text: words('wall.text', 3), kind: words('wall.data'), [words('wall.data', 2)]: { __proto__: 1 } });
  ada.say({
    text: 'files',
    media: [
      { mime: 'text/html', url: `http://evil.test/${encodeURIComponent(words('wall.media.url')).slice(0, 1_500)}` },
      { mime: 'image/png', url: 'javascript:struck=90' },
      { mime: 'image/svg+xml', b64: b64('<svg xmlns="http://www.w3.org/2000/svg" onload="struck=91"/>') },
      { mime: 'text/html', b64: b64('<script>struck=92</script>') },
      { mime: 'image/png', b64: PICTURE },
    ],
  });
  await expect(page.getByRole('button', { name: 'Show image' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Show image' }).click();
  await expect(page.getByRole('img', { name: /^Attached: image\/png/ })).toBeVisible();
  await page
    .getByText(/^Data, \d+ characters$/)
    .first()
    .click();
  await planting.look(page, 'the Wall', 'wall.text', 'wall.data', 'wall.media.url');
  await planting.visit(page, project, `/rooms/${savedCluster.id}?people=shown`, 'wall.handle');
  await planting.visit(page, project, `/rooms/${savedCluster.id}?tab=boards`, 'board.name', 'board.about');
  await planting.visit(page, project, `/rooms/${savedCluster.id}?tab=rules`, 'cluster.require');
  await planting.visit(page, project, `/rooms/${savedCluster.id}?tab=share`, 'cluster.name');
  await planting.visit(
    page,
    project,
    `/rooms/${savedCluster.id}/b/board-0`,
    'board.about',
    'post.title',
    'post.author',
  );
  await planting.visit(page, project, `/rooms/${savedCluster.id}/b/board-0?show=map`, 'post.place');
  await planting.visit(page, project, `/rooms/${savedCluster.id}/b/days?show=agenda`, 'post.title');
  for (const turn of [0, 15, 30, 45])
    await planting.visit(
      page,
      project,
      `/rooms/${savedCluster.id}/p/${posts[turn]}`,
      'post.body',
      'post.file.url',
      'post.place',
    );
  await planting.visit(page, project, '/map', 'cluster.name');
  await plantNetwork(page, planting);
  await lookAtAnswers(page, project, planting);
  await planting.visit(page, project, '/network', ...NETWORK_FIELDS);

  const { cluster: made } = await project.api<ClusterAnswer>('GET', `/v1/clusters/${savedCluster.id}`);
  await page.goto(`${project.address}/clusters/${made.slug}`);
  await planting.look(page, 'the public page', 'cluster.name', 'cluster.description', 'cluster.place', 'post.title');
  await page.goto(`${project.address}/map`);
  await planting.look(page, 'the public map', 'cluster.place');
  await page.goto(`${project.address}/monitor?id=${savedCluster.id}`);
  await expect(page.getByRole('status')).toHaveText('Connected.');
  ada.say(words('wall.text', 1));
  await planting.look(page, 'the monitor', 'wall.text');
  for (const peer of peers) peer.leave();
  planting.expectWhole();
});
