import type { BoardBody, PostBody } from '../../daemon/contract/boards.js';
import type { ClusterBody, ClusterCreated, Props } from '../../daemon/contract/clusters.js';
import { SigningKey } from '../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../daemon/lib/crypto/mesh-sig.js';
import type { DaemonProcess } from '../../daemon/testing/processes/daemon-process.js';

const LISBON = { lat: 38.72, lon: -9.14, label: 'Lisbon, Portugal' };
const PORTO = { lat: 41.15, lon: -8.61, label: 'Porto, Portugal' };
const BERGEN = { lat: 60.39, lon: 5.32, label: 'Bergen, Norway' };

const AGENTS = [
  {
    agent_id: 'painter',
    capabilities: ['paint'],
    agent_card: {
      endpoint: 'https://painter.example/',
      description: 'Paints a picture of any harbour, in oil or ink.',
      tags: ['image', 'art', 'geo:NO'],
      category: 'media.image',
      accepts: ['text/plain'],
      produces: ['image/png'],
      protocols: ['http', 'a2a'],
      pricing: { unit: 'image', amount: 120_000, currency: 'lamports', network: 'solana:local' },
    },
  },
  {
    agent_id: 'sketcher',
    capabilities: ['sketch'],
    agent_card: {
      endpoint: 'https://sketcher.example/',
      description: 'Sketches a picture of a harbour without charge.',
      tags: ['image', 'geo:PT'],
      category: 'media.sketch',
      accepts: ['application/json'],
      produces: ['image/svg+xml'],
      protocols: ['mcp'],
      pricing: { unit: 'image', amount: 0, currency: 'free' },
    },
  },
  {
    agent_id: 'tide-table',
    capabilities: ['tides'],
    agent_card: {
      endpoint: 'https://tides.example/',
      description: 'Gives the time of high water for every harbour with a gauge.',
      tags: ['sea', 'geo:PT'],
      category: 'data.sea',
      accepts: ['application/json'],
      produces: ['application/json'],
      protocols: ['http', 'mcp'],
      pricing: { unit: 'request', amount: 0.02, currency: 'USD' },
    },
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
  {
    slug: 'notes',
    name: 'Notes',
    kind: 'generic',
    about: 'What one harbour found out and another may need.',
    props: { where: 'none' },
  },
];

const POSTS: readonly (readonly [board: string, author: string, body: PostBody])[] = [
  [
    'flea-market',
    'bela',
    {
      title: 'Brass lamp, works with oil',
      body: 'From the **third** mast of the old mole, cleaned and with a new wick.\n\n- 40 cm high, 6 kg\n- burns nine hours on one filling\n\n€ 120, or a fog horn in return.',
      ttl: '30d',
      props: { where: LISBON, lang: 'en' },
    },
  ],
  [
    'flea-market',
    'joao',
    {
      title: 'Corda de amarração, 40 metros',
      body: 'Usada um inverno. 30 €.',
      ttl: '7d',
      props: { where: PORTO, lang: 'pt' },
    },
  ],
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
  [
    'notes',
    'eva',
    { title: 'Salt creeps along the cable, not along the mast', body: 'Two winters of notes.', ttl: 'forever' },
  ],
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
