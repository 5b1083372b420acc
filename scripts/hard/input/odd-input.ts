/**
 * Input that is well-formed but unusual: JSON-RPC batches of identical calls, invalid numbers where a place is
 * expected, messages in endless fragments, floods of pings and pongs, and an unlimited number of MCP sessions. No
 * response may be a 5xx, floods must be disconnected, and the daemon must neither grow nor block. Takes a few seconds.
 *
 * `npx tsx scripts/hard/input/odd-input.ts [--sessions 1000] [--frames 5000]`
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import { Gauge } from '../gauge.js';
import { callHttp } from '../http-call.js';
import { clientFrame, WallLine } from '../wall-line.js';

const FIN = 0x80;
const OPCODE = { continuation: 0, text: 1, ping: 9, pong: 10 } as const;
const BATCH = 100;
/** Frames written between two checks of whether the connection is still open. */
const FRAMES_AT_ONCE = 200;
const CUT_WITHIN_MS = 2_000;
/** Sessions the daemon keeps, and the other files it may open meanwhile. */
const SESSION_FILES_MAX = 64 + 16;
/** Rounds the sessions are begun in. What is kept of each session grows in every round. */
const ROUNDS = 5;
const GROWTH_MAX_MB = 2;
const SETTLING_MS = 10_000;

const ODD_PLACES = [
  ...['NaN,NaN', 'Infinity,0', '0,-Infinity', '1e999,0', '1e1,2', '0x10,2', '91,0', '0,181', '1,2,3', '1', ',', ''],
  ...[' 1,2', '1,2 ', '+1,2', '1.,2', '.5,2', '٣,٤', '--1,2', '1_0,2', 'null,null', '1;2'],
];
const ODD_RADII = ['NaN', 'Infinity', '-Infinity', '1e999', '-1', '0', '', 'null', '1_000'];

const unfinished = (frame: Buffer) => {
  const open = Buffer.from(frame);
  open[0] = (open[0] as number) & ~FIN;
  return open;
};

const repeated = (frame: Buffer) => Buffer.concat(Array.from({ length: FRAMES_AT_ONCE }, () => frame));
const FLOODS: Readonly<Record<string, { begin?: Buffer; again: Buffer }>> = {
  'empty fragments of one message': {
    begin: unfinished(clientFrame('', OPCODE.text)),
    again: repeated(unfinished(clientFrame('', OPCODE.continuation))),
  },
  'fragments of one byte': {
    begin: unfinished(clientFrame('{', OPCODE.text)),
    again: repeated(unfinished(clientFrame(' ', OPCODE.continuation))),
  },
  'pings within a message': {
    begin: unfinished(clientFrame('{', OPCODE.text)),
    again: repeated(clientFrame('', OPCODE.ping)),
  },
  pings: { again: repeated(clientFrame('x', OPCODE.ping)) },
  'pongs that nobody asked for': { again: repeated(clientFrame('x', OPCODE.pong)) },
};

/** Sends `frames` frames and returns whether the socket was closed because of them. */
async function flood(line: WallLine, { begin, again }: { begin?: Buffer; again: Buffer }, frames: number) {
  let isOver = false;
  const over = line.ended.then(() => {
    isOver = true;
  });
  if (begin) line.write(begin);
  for (let sent = 0; sent < frames && !isOver; sent += FRAMES_AT_ONCE)
    if (!line.write(again)) await Promise.race([new Promise<void>((resolve) => line.onDrain(resolve)), over]);
  await Promise.race([over, pause(CUT_WITHIN_MS)]);
  line.cut();
  return isOver;
}

async function tryFloods(drill: Drill, daemon: DaemonProcess): Promise<void> {
  const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
  const { port, pathname, search } = new URL(ws as string);
  for (const [number, [what, frames]] of Object.entries(FLOODS).entries()) {
    const line = await WallLine.open(Number(port), `${pathname}${search}&agent=flooder-${number}`);
    const isCut = await flood(line, frames, drill.bound('frames'));
    drill.holds(`${what}: the socket is cut`, `after at most ${drill.bound('frames')} frames`, isCut);
  }
}

async function tryPlaces(drill: Drill, daemon: DaemonProcess): Promise<void> {
  const { address } = daemon;
  const cluster = await daemon.call<ClusterCreated>('POST', '/v1/clusters', { name: 'Town', visibility: 'public' });
  const id = cluster.cluster_id;
  const posts = `/v1/clusters/${id}/boards/jobs/posts`;
  const admin = { authorization: `Bearer ${cluster.admin_token}` };
  await daemon.call('PATCH', `/v1/clusters/${id}`, { boards_enabled: true }, admin);
  const board = { slug: 'jobs', name: 'Jobs', kind: 'generic', about: '' };
  await daemon.call('POST', `/v1/clusters/${id}/boards`, board, admin);
  const right = await callHttp(address, 'GET', `${posts}?near=53.5,10&km=30`);
  drill.holds('a place that is one is taken', `it is answered ${right?.status}`, right?.status === 200);
  const wrong: string[] = [];
  const expectRefused = async (path: string, answer = callHttp(address, 'GET', path)) => {
    const status = (await answer)?.status;
    if (status !== 400) wrong.push(`${path}: ${status}`);
  };
  for (const near of ODD_PLACES) await expectRefused(`${posts}?near=${encodeURIComponent(near)}`);
  for (const km of ODD_RADII) await expectRefused(`${posts}?near=1,2&km=${encodeURIComponent(km)}`);
  // Values that JSON cannot express, and numbers that parse to infinity.
  for (const lat of ['1e999', '-1e999', 'NaN', 'Infinity'])
    await expectRefused(
      `a cluster at latitude ${lat}`,
      callHttp(
        address,
        'PATCH',
        `/v1/clusters/${id}`,
        `{"props": {"where": {"lat": ${lat}, "lon": 1, "label": "x"}}}`,
        admin,
      ),
    );
  drill.none(
    'odd numbers that were not refused',
    'numbers',
    wrong,
    `${ODD_PLACES.length + ODD_RADII.length + 4} tried`,
  );
}

async function tryBatches(drill: Drill, daemon: DaemonProcess, token: string): Promise<void> {
  const bearer = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
  const same = (call: object) => Array.from({ length: BATCH }, () => call);
  const height = { jsonrpc: '2.0', id: 1, method: 'getBlockHeight' };
  const send = {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Which port?' }] } },
  };
  const tool = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'ask_consultant', arguments: { text: 'Which port?' } },
  };
  const asked = async () => (await daemon.call<{ requests: unknown[] }>('GET', '/requests?limit=200')).requests.length;
  const before = await asked();
  const wrong: string[] = [];
  const { address } = daemon;
  const look = async (
    what: string,
    path: string,
    body: unknown,
    isRight: (status: number, body: unknown) => boolean,
  ) => {
    const answer = await callHttp(address, 'POST', path, body, path === '/chain' ? {} : bearer);
    if (!answer || !isRight(answer.status, answer.body)) wrong.push(`${what}: ${answer?.status ?? 'cut'}`);
  };
  const isRefusal = (status: number) => status >= 400 && status < 500;
  // A2A answers with HTTP 200 whatever the code of the error.
  const isError = (status: number, body: unknown) =>
    isRefusal(status) || (status === 200 && typeof (body as { error?: { code?: unknown } }).error?.code === 'number');
  await look('the same call 100 times', '/chain', same(height), (status, answers) => {
    const rows = answers as { id: unknown }[];
    return status === 200 && Array.isArray(rows) && rows.length === BATCH && rows.every(({ id }) => id === 1);
  });
  await look('101 calls', '/chain', [...same(height), height], (status, body) => status < 500 && !Array.isArray(body));
  for (const body of [[], [[]], [[height]], [null], [1, 'x', null, []]])
    await look(`the batch ${JSON.stringify(body)}`, '/chain', body, (status) => status < 500);
  const numbered = [...same(tool), tool].map((call, id) => ({ ...call, id }));
  const odd = [same(send), same(tool), numbered, [], [[]], [null]];
  for (const [number, body] of odd.entries()) {
    await look(`batch ${number} of A2A`, '/team/consultant/a2a', body, isError);
    await look(`batch ${number} of MCP`, '/mcp', body, isRefusal);
  }
  drill.none('odd batches that were not answered as they should be', 'batches', wrong);
  drill.measure({
    measure: 'requests that odd batches made',
    value: (await asked()) - before,
    unit: 'requests',
    exactly: 0,
  });
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
};

async function trySessions(drill: Drill, daemon: DaemonProcess, token: string, gauge: Gauge): Promise<void> {
  const inRound = drill.bound('sessions') / ROUNDS;
  const address = `${daemon.address}/mcp`;
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  const post = async (message: object, id?: string) => {
    const session: HeadersInit = id === undefined ? {} : { 'mcp-session-id': id };
    const body = JSON.stringify(message);
    const reply = await fetch(address, { method: 'POST', headers: { ...headers, ...session }, body });
    await reply.text();
    return { status: reply.status, id: reply.headers.get('mcp-session-id') ?? '' };
  };
  const first = await post(INITIALIZE);
  const openFiles = () => daemon.openFiles();
  const filesBefore = openFiles();
  const open = new AbortController();
  const wrong: string[] = [];
  const growthsMb: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await gauge.read(true);
    for (let number = 0; number < inRound; number += 1) {
      const { status, id } = await post(INITIALIZE);
      if (status >= 500) wrong.push(`session ${number} of round ${round}: ${status}`);
      // Each session also opens its event stream and never closes it.
      const streaming = { headers: { ...headers, 'mcp-session-id': id }, signal: open.signal };
      void fetch(address, streaming).catch(() => undefined);
    }
    const after = await gauge.read(true);
    growthsMb.push((after.heapBytes - before.heapBytes) / 1e6);
  }
  drill.none('sessions that were answered with a 5xx', 'sessions', wrong, `${inRound * ROUNDS} begun`);
  const old = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, first.id);
  drill.holds('the session that was used longest ago made room', `it is answered ${old.status}`, old.status === 404);
  const areClosed = (files: number) => files - filesBefore <= SESSION_FILES_MAX;
  const files = await until('streams closed', SETTLING_MS, openFiles, areClosed).catch(openFiles);
  drill.measure({
    measure: 'connections that sessions without end hold',
    value: files - filesBefore,
    unit: 'files',
    atMost: SESSION_FILES_MAX,
  });
  drill.measure({
    measure: `objects that every ${inRound} sessions more leave, once garbage was collected`,
    value: Math.min(...growthsMb),
    unit: 'MB',
    atMost: GROWTH_MAX_MB,
    said: `${growthsMb.map((mb) => mb.toFixed(1)).join(', ')} MB in ${ROUNDS} rounds`,
  });
  open.abort();
}

await runDrill('odd-input', async (drill) => {
  const project = drill.project();
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  const token = await daemon.getToken('consultant');
  await tryPlaces(drill, daemon);
  await tryBatches(drill, daemon, token);
  await tryFloods(drill, daemon);
  await trySessions(drill, daemon, token, gauge);
  const health = await callHttp(daemon.address, 'GET', '/health');
  drill.holds('it answers after all that', `/health gave ${health?.status}`, health?.status === 200);
});
