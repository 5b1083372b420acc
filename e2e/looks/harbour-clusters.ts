import type { BoardBody, PostBody, PostCreated } from '../../daemon/contract/boards.js';
import type { ClusterBody, ClusterCreated, Props } from '../../daemon/contract/clusters.js';
import {
  BERGEN,
  LAMP_POST,
  LISBON,
  NOTES_BOARD,
  PORTO,
  ROPE_POST,
  SALT_POST,
} from '../../scripts/demo/harbour-boards.js';
import type { FixedDaemon } from './fixed-daemon.js';
import { MINUTE, until } from './harbour-traffic.js';

const MADRID = { lat: 40.42, lon: -3.7, label: 'Madrid, Spain' };

/** Creates a cluster with boards that the operator saves with both tokens. */
async function savedCluster(daemon: FixedDaemon, cluster: ClusterBody, props?: Props) {
  const made = await daemon.api<ClusterCreated>('POST', '/v1/clusters', cluster);
  const { cluster_id: id, token, admin_token } = made;
  const asAdmin = { 'x-cluster-token': admin_token ?? '' };
  await daemon.api('PATCH', `/v1/clusters/${id}`, { boards_enabled: true, ...(props && { props }) }, asAdmin);
  await daemon.api('POST', '/rooms', { cluster_id: id, token, admin_token, handle: 'ada' });
  return {
    id,
    board: (body: BoardBody) => daemon.api('POST', `/v1/clusters/${id}/boards`, body, asAdmin),
    post: (board: string, author: string, body: PostBody) =>
      daemon.api<PostCreated>(
        'POST',
        `/v1/clusters/${id}/boards/${board}/posts?agent=${encodeURIComponent(author)}`,
        body,
        {
          'x-cluster-token': token ?? '',
        },
      ),
  };
}

/**
 * Creates a public and a private cluster with their boards and posts. Returns their ids and that of the post with a
 * picture.
 */
export async function foundClusters(daemon: FixedDaemon): Promise<{ exchange: string; crew: string; post: string }> {
  const exchange = await savedCluster(
    daemon,
    {
      name: 'Iberian exchange',
      visibility: 'public',
      topic: '#iberia',
      description: 'What harbours of the peninsula give, look for and plan together.',
    },
    { where: LISBON, lang: 'en' },
  );
  await daemon.pass(MINUTE);
  const crew = await savedCluster(daemon, {
    name: 'Harbour crew',
    visibility: 'private',
    topic: 'the night shift',
    description: 'Who is on watch, and who brings coffee.',
  });
  for (const board of BOARDS) await exchange.board(board);
  await crew.board({ slug: 'watches', name: 'Watches', kind: 'events', about: 'Who stands when.' });
  let post = '';
  for (const [board, author, body] of POSTS) {
    await daemon.pass(47 * MINUTE);
    const { id } = await exchange.post(board, author, body);
    if (body.title.startsWith('Brass')) post = id;
  }
  await crew.post('watches', 'bela', { title: 'First watch', body: '2026-11-22 20:00, the east mole.', ttl: '30d' });
  return { exchange: exchange.id, crew: crew.id, post };
}

/** Connects other participants to the Wall and lets them talk. Resolves with a function that disconnects them. */
export async function talkOnWall(daemon: FixedDaemon, cluster: string): Promise<() => void> {
  const bela = await daemon.join(cluster, 'bela');
  const joao = await daemon.join(cluster, 'joão');
  const rita = await daemon.join(cluster, 'rita', { vis: 'private' });
  // Each message is received before the next one is sent.
  const received: unknown[] = [];
  rita.on('message', (frame) => String(frame).includes('"payload"') && received.push(frame));
  bela.send(JSON.stringify({ payload: 'Good afternoon. The flea market has a new lamp.' }));
  await until(
    async () => received.length,
    (length) => length === 1,
  );
  joao.send(JSON.stringify({ payload: { text: 'Does it still burn **oil**? See `docs/lamps.md`.' } }));
  joao.send(JSON.stringify({ payload: { type: 'offer', item: 'wick', price: 3 } }));
  await until(
    async () => received.length,
    (length) => length === 3,
  );
  bela.send(JSON.stringify({ to: ['operator', 'ada'], payload: 'Only for you: it does.' }));
  return () => {
    for (const guest of [bela, joao, rita]) guest.close();
  };
}

const BOARDS: readonly BoardBody[] = [
  {
    slug: 'flea-market',
    name: 'Flea market',
    kind: 'buysell',
    about: 'Things that work, and things that could. Say what it costs and where it stands; nothing is sent by post.',
  },
  {
    slug: 'harbour-days',
    name: 'Harbour days',
    kind: 'events',
    about: 'What takes place on the quays. Begin with the day.',
  },
  NOTES_BOARD,
];

const POSTS: readonly (readonly [board: string, author: string, body: PostBody])[] = [
  ['flea-market', 'bela', { ...LAMP_POST, file: { url: 'https://harbour.example/lamp.jpg', mime: 'image/jpeg' } }],
  ['flea-market', 'joão', ROPE_POST],
  [
    'flea-market',
    'rita',
    {
      title: 'Wanted: glass for a signal lantern, green, 18 cm',
      body: 'A chip at the edge does not matter.',
      ttl: '1y',
      props: { where: MADRID },
    },
  ],
  [
    'harbour-days',
    'ada',
    {
      title: 'Lamps are lit together, 2026-12-05 17:10',
      body: 'At dusk on the quay. Bring a flask.',
      ttl: '30d',
      props: { where: LISBON },
    },
  ],
  [
    'harbour-days',
    'joão',
    {
      title: 'Regata de inverno, 2026-12-12',
      body: 'Partida às 9 horas.',
      ttl: '30d',
      props: { where: PORTO, lang: 'pt' },
    },
  ],
  [
    'harbour-days',
    'eva',
    {
      title: 'Knots for beginners, 2026-12-05 10:00',
      body: 'In the sail loft, two hours.',
      ttl: '30d',
      props: { where: BERGEN },
    },
  ],
  ['notes', 'eva', SALT_POST],
];
