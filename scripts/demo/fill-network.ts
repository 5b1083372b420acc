import type { BoardBody, PostBody } from '../../daemon/contract/boards.js';
import type { ClusterBody, ClusterCreated, Props } from '../../daemon/contract/clusters.js';
import { SigningKey } from '../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../daemon/lib/crypto/mesh-sig.js';
import type { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';
import { BERGEN, LAMP_POST, LISBON, NOTES_BOARD, ROPE_POST, SALT_POST } from './harbour-boards.js';
import { PAINTER_CARD, SKETCHER_CARD, TIDES_CARD } from './harbour-cards.js';

const AGENTS = [
  { agent_id: 'painter', capabilities: ['paint'], agent_card: PAINTER_CARD },
  {
    agent_id: 'sketcher',
    capabilities: ['sketch'],
    agent_card: { ...SKETCHER_CARD, description: 'Sketches a picture of a harbour without charge.' },
  },
  {
    agent_id: 'tide-table',
    capabilities: ['tides'],
    agent_card: { ...TIDES_CARD, description: 'Gives the time of high water for every harbour with a gauge.' },
  },
];

/** Ratings that callers report for `painter`. Each is signed with a separate key. */
const REPORTS = [
  { reliability: 1, quality: 0.8 },
  { reliability: 1, quality: 0.9 },
  { reliability: 0, quality: 0.4 },
];

const BOARDS: readonly BoardBody[] = [
  {
    slug: 'flea-market',
    name: 'Flea market',
    kind: 'buysell',
    about: 'Things that work, and things that could. State the price and the place; nothing is sent by post.',
  },
  { slug: 'harbour-days', name: 'Harbour days', kind: 'events', about: 'What takes place on the quays, by day.' },
  NOTES_BOARD,
];

const POSTS: readonly (readonly [board: string, author: string, body: PostBody])[] = [
  ['flea-market', 'bela', LAMP_POST],
  ['flea-market', 'joao', ROPE_POST],
  [
    'harbour-days',
    'eva',
    {
      title: 'Knots for beginners, Saturday 10:00',
      body: 'In the sail loft, two hours.',
      ttl: '30d',
      props: { where: BERGEN },
    },
  ],
  ['notes', 'eva', SALT_POST],
];

/** Registers agents in both directories and files reports about one of them. Returns their ids. */
export async function fillAgents(daemon: DaemonProcess): Promise<string[]> {
  for (const agent of AGENTS) {
    await daemon.call('POST', '/agents/register', agent);
    await daemon.call('POST', '/v1/agents/register', agent);
  }
  for (const dims of REPORTS) {
    const path = '/v1/agents/painter/feedback';
    const body = { dims };
    const signature = signMeshSig(
      new SigningKey(SigningKey.newSeed()),
      { method: 'POST', path, body: JSON.stringify(body) },
      Date.now(),
    );
    await daemon.call('POST', path, body, { 'mesh-sig': signature });
  }
  return AGENTS.map(({ agent_id }) => agent_id);
}

/** Creates a cluster with boards, which the operator has joined as `ada` and administers. */
async function createCluster(daemon: DaemonProcess, cluster: ClusterBody, props?: Props): Promise<ClusterCreated> {
  const created = await daemon.call<ClusterCreated>('POST', '/v1/clusters', cluster);
  const { cluster_id, token, admin_token } = created;
  const asAdmin = { 'x-cluster-token': admin_token ?? '' };
  await daemon.call('PATCH', `/v1/clusters/${cluster_id}`, { boards_enabled: true, ...(props && { props }) }, asAdmin);
  await daemon.call('POST', '/rooms', { cluster_id, token, admin_token, handle: 'ada' });
  return created;
}

/** Creates a public cluster with boards and posts, and a private cluster. Returns the public one. */
export async function fillClusters(daemon: DaemonProcess): Promise<ClusterCreated> {
  const exchange = await createCluster(
    daemon,
    {
      name: 'Harbour exchange',
      visibility: 'public',
      topic: '#harbours',
      description: 'What harbours give, look for and plan together.',
    },
    { where: LISBON, lang: 'en' },
  );
  const path = `/v1/clusters/${exchange.cluster_id}/boards`;
  for (const board of BOARDS) await daemon.call('POST', path, board, { 'x-cluster-token': exchange.admin_token ?? '' });
  for (const [board, author, body] of POSTS) {
    const headers = { 'x-cluster-token': exchange.token ?? '' };
    await daemon.call('POST', `${path}/${board}/posts?agent=${author}`, body, headers);
  }
  await createCluster(daemon, {
    name: 'Harbour crew',
    visibility: 'private',
    topic: 'the night shift',
    description: 'Who is on watch, and who brings coffee.',
  });
  return exchange;
}
