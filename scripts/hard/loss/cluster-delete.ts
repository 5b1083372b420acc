/**
 * Deletes a public cluster with boards and posts while five hundred members exchange messages in it. Each of them must
 * receive `closed` as its last frame and then close code 4000. Afterwards every request must be answered exactly, byte
 * for byte, as for an id and a slug that never existed. No row of any table may contain a trace of the cluster. Takes
 * ten seconds.
 *
 * `npx tsx scripts/hard/loss/cluster-delete.ts`
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { BoardCreated, PostCreated } from '../../../daemon/contract/boards.js';
import type { ClusterAnswer, ClusterCreated, ClusterList } from '../../../daemon/contract/clusters.js';
import { VIS } from '../../../daemon/contract/wall.js';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { rawRequest } from '../../../daemon/testing/processes/raw-request.js';
import { runDrill, until } from '../drill.js';
import { WallLine } from '../wall-line.js';

/** Number of messages that must be delivered before the cluster is deleted. */
const SAID = 1_500;
/** Messages in flight. */
const AT_ONCE = 32;
const LIMIT_MS = 60_000;
const DELETED = 4000;
const NAME = 'Harbour of the drill';
const KEY = 'the-key-of-the-drill';
const TITLE = 'A lantern, hardly used';

interface Subject {
  id: string;
  slug: string;
  token: string;
  admin: string;
  board: string;
  post: string;
}

const CREATION = { name: NAME, visibility: 'public', topic: '#drill', description: 'Soon gone.' } as const;
const POST = { title: TITLE, body: 'To give away.', ttl: 'forever' } as const;

async function aCluster(daemon: DaemonProcess): Promise<Subject> {
  const made = await daemon.call<ClusterCreated>('POST', '/v1/clusters', CREATION, { 'idempotency-key': KEY });
  const id = made.cluster_id;
  const headers = { 'x-cluster-token': made.admin_token as string };
  const where = { lat: 53.5, lon: 10, label: 'Hamburg' };
  const patch = { boards_enabled: true, props: { where, lang: 'de' } };
  const { cluster } = await daemon.call<ClusterAnswer>('PATCH', `/v1/clusters/${id}`, patch, headers);
  const boards = `/v1/clusters/${id}/boards`;
  const board = { slug: 'lamps', name: 'Lamps', kind: 'buysell', about: 'Lamps, lanterns, lights.' };
  const { id: boardId } = await daemon.call<BoardCreated>('POST', boards, board, headers);
  const post = await daemon.call<PostCreated>('POST', `${boards}/lamps/posts?agent=ada`, POST, {
    'idempotency-key': KEY,
  });
  return {
    id,
    slug: cluster.slug as string,
    token: made.token as string,
    admin: made.admin_token as string,
    board: boardId,
    post: post.id,
  };
}

/** One member, and how it was notified of the deletion. */
class ObservedMember {
  /** `closed` was received exactly once and was the last text frame. */
  isToldLast = false;
  private closings = 0;

  private constructor(readonly line: WallLine) {}

  static async open(port: number, path: string, number: number, onAck: () => void): Promise<ObservedMember> {
    const line = await WallLine.open(port, `${path}?agent=talker-${number}&vis=${VIS[number % VIS.length]}`);
    const talker = new ObservedMember(line);
    line.onText = (text) => {
      const kind = text.toString('latin1', 0, 17);
      if (kind === '{"kind":"closed",') talker.closings += 1;
      talker.isToldLast = talker.closings === 1 && kind === '{"kind":"closed",';
      if (kind === '{"kind":"ack","to') onAck();
    };
    return talker;
  }
}

/**
 * Deletes the cluster while messages are exchanged. Returns the outcome of every member that was not notified and
 * closed as required.
 */
async function deleteAmidTalk(
  daemon: DaemonProcess,
  port: number,
  { id, admin }: Subject,
  members: number,
): Promise<string[]> {
  const talkers: ObservedMember[] = [];
  let said = 0;
  let acks = 0;
  // The members send in rotation. The next message is sent as soon as a delivery is acknowledged.
  const sayNext = () => {
    const talker = talkers[said % members];
    said += 1;
    if (talker && !talker.line.isGone) talker.line.say(`Word ${said}, and #lamps.`);
  };
  const onAck = () => {
    acks += 1;
    sayNext();
  };
  for (let number = 0; number < members; number += 1)
    talkers.push(await ObservedMember.open(port, `/v1/clusters/${id}/ws`, number, onAck));
  for (let number = 0; number < AT_ONCE; number += 1) sayNext();
  await until(
    'a lively talk',
    LIMIT_MS,
    () => acks,
    (count) => count >= SAID,
  );
  await daemon.call('DELETE', `/v1/clusters/${id}`, undefined, { 'x-cluster-token': admin });
  const endings = await Promise.all(
    talkers.map(async (talker) => ({ ...(await talker.line.ended), isToldLast: talker.isToldLast })),
  );
  return endings
    .filter(({ code, isToldLast }) => code !== DELETED || !isToldLast)
    .map(({ code, isToldLast }) => `${code ?? 'no code'}, ${isToldLast ? 'told' : 'not told'}`);
}

type Request = readonly [line: string, credential: 'none' | 'token' | 'admin', body?: unknown];

/** Every request that names a cluster. Fewer than twenty carry a credential; beyond that limit all would get 429. */
const REQUESTS: readonly Request[] = [
  ['GET /v1/clusters/ID', 'none'],
  ['GET /v1/clusters/SLUG', 'none'],
  ['GET /v1/clusters/ID', 'token'],
  ['PATCH /v1/clusters/ID', 'none', { boards_enabled: true }],
  ['PATCH /v1/clusters/ID', 'admin', { boards_enabled: true }],
  ['DELETE /v1/clusters/ID', 'none'],
  ['DELETE /v1/clusters/ID', 'admin'],
  ['GET /v1/clusters/ID/boards', 'none'],
  ['GET /v1/clusters/SLUG/boards', 'none'],
  ['GET /v1/clusters/ID/boards', 'token'],
  ['POST /v1/clusters/ID/boards', 'none', { slug: 'lamps', name: 'Lamps', kind: 'buysell', about: '' }],
  ['POST /v1/clusters/ID/boards', 'admin', { slug: 'lamps', name: 'Lamps', kind: 'buysell', about: '' }],
  ['GET /v1/clusters/ID/boards/BOARD', 'none'],
  ['GET /v1/clusters/ID/boards/lamps', 'token'],
  ['PATCH /v1/clusters/ID/boards/lamps', 'admin', { about: 'Back again.' }],
  ['DELETE /v1/clusters/ID/boards/lamps', 'admin'],
  ['GET /v1/clusters/ID/boards/lamps/posts', 'none'],
  ['GET /v1/clusters/ID/boards/lamps/posts?near=53.5,10&km=5', 'token'],
  ['GET /v1/clusters/ID/boards/lamps/posts/POST', 'none'],
  ['POST /v1/clusters/ID/boards/lamps/posts?agent=ada', 'none', POST],
  ['POST /v1/clusters/ID/boards/lamps/posts?agent=ada', 'token', POST],
  ['DELETE /v1/clusters/ID/boards/lamps/posts/POST?agent=ada', 'none'],
  ['DELETE /v1/clusters/ID/boards/lamps/posts/POST', 'admin'],
  ['GET /v1/clusters/ID/history', 'none'],
  ['GET /v1/clusters/ID/history', 'token'],
  ['GET /v1/clusters/ID/ws?agent=ada', 'none'],
  ['GET /v1/clusters/ID/ws?agent=ada', 'token'],
  ['GET /clusters/SLUG', 'none'],
  ['GET /monitor?slug=SLUG', 'none'],
  ['GET /monitor?id=ID&vis=public', 'none'],
];

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/** Returns the response without the parts that repeat the request and without the date. */
async function answerTo(port: number, subject: Subject, [line, credential, body]: Request): Promise<string> {
  const { id, slug, board, post } = subject;
  const filled = line
    .replace('ID', id)
    .replace('SLUG', slug)
    .replace('BOARD', board)
    .replace('POST?', `${post}?`)
    .replace(/POST$/, post);
  const text = body === undefined ? '' : JSON.stringify(body);
  const isSocket = line.includes('/ws');
  const head = [
    `${filled} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...(isSocket ? UPGRADE : ['Connection: close']),
    ...(credential === 'none' ? [] : [`X-Cluster-Token: ${subject[credential]}`]),
    ...(text === ''
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`, `Idempotency-Key: ${KEY}`]),
  ];
  const answer = await rawRequest(port, head, text);
  return `${answer.head.replace(/^date: .*$/im, 'date')}\n\n${answer.body}`
    .replaceAll(id, 'ID')
    .replaceAll(slug, 'SLUG');
}

/** An id and a slug of the same lengths that were never assigned. */
const getNever = (subject: Subject): Subject => ({
  ...subject,
  id: `c_${'0'.repeat(subject.id.length - 2)}`,
  slug: 'x'.repeat(subject.slug.length),
});

async function differences(port: number, gone: Subject): Promise<string[]> {
  const never = getNever(gone);
  const different: string[] = [];
  for (const request of REQUESTS) {
    const [ofGone, ofNever] = [await answerTo(port, gone, request), await answerTo(port, never, request)];
    if (ofGone !== ofNever)
      different.push(`${request[0]} (${request[1]}): ${JSON.stringify(ofGone)} and not ${JSON.stringify(ofNever)}`);
  }
  return different;
}

/** Values that would reveal the cluster, in the form in which a row may hold them. */
const listTraces = ({ id, token, admin, board, post }: Subject): string[] => [
  ...[id, token, admin, board, post, TITLE],
  ...[token, admin].map((secret) => createHash('sha256').update(secret).digest('hex')),
];

/** Returns the number of tables in the daemon's store, and every table that contains a trace, with the trace. */
function tablesWith(path: string, traces: readonly string[]): { tables: number; found: string[] } {
  const database = openSqlite(path, { readonly: true });
  try {
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all() as string[];
    const found = tables.flatMap((table) => {
      const rows = database.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][];
      const texts = rows.map((row) =>
        row.map((value) => (Buffer.isBuffer(value) ? `${value.toString('hex')} ${value}` : String(value))).join(' '),
      );
      return traces.filter((trace) => texts.some((text) => text.includes(trace))).map((trace) => `${table}: ${trace}`);
    });
    return { tables: tables.length, found };
  } finally {
    database.close();
  }
}

await runDrill('cluster-delete', async (drill) => {
  const members = drill.bound('members');
  const project = drill.project();
  const daemon = await project.start({});
  const port = Number(new URL(daemon.address).port);
  const subject = await aCluster(daemon);
  const wrong = await deleteAmidTalk(daemon, port, subject, members);
  drill.none(`members that were not told and closed with ${DELETED}, of ${members}`, 'members', wrong);
  drill.none(
    `answers unlike those for what never was, of ${REQUESTS.length}`,
    'answers',
    await differences(port, subject),
  );

  const { clusters } = await daemon.call<ClusterList>('GET', '/v1/clusters?limit=200');
  const again = await daemon.call<ClusterCreated>('POST', '/v1/clusters', CREATION, { 'idempotency-key': KEY });
  const listed = await daemon.call<ClusterList>('GET', '/v1/clusters?limit=200');
  drill.none('ways in which it comes back', 'ways', [
    ...(clusters.some(({ id }) => id === subject.id) ? ['the catalog has it'] : []),
    ...(again.cluster_id === subject.id || again.admin_token === null
      ? ['the Idempotency-Key of its creation gives it again']
      : []),
    ...(listed.clusters.some(({ slug }) => slug === subject.slug) ? ['its slug was given to another'] : []),
  ]);
  await daemon.stop();
  const { tables, found } = tablesWith(join(project.root, '.mesh/state/mesh.db'), listTraces(subject));
  drill.none('tables with a trace of it', 'tables', found, `${tables} tables read`);
});
