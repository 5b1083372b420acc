/**
 * Frames and requests of clusters, boards and the Wall, damaged at random: in their text, in the bytes of their WebSocket frames, in paths, queries,
 * headers and bodies. No answer may be a 5xx, none may be missing, the daemon must live and stay as small as it was, what is sent in another
 * cluster must arrive untouched and alone, and no answer and nobody in the fuzzed one may be told of it. Exits 1 when one does not hold.
 * `npx tsx scripts/hard/wall-fuzz.ts [--n 20000] [--seed 1]`, half a minute.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { ClusterAnswer, ClusterCreated } from '../../daemon/contract/clusters.js';
import type { WallFrame } from '../../daemon/contract/wall.js';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { buildIfStale, DrillProject, report, until } from './drill.js';

const argument = (name: string, otherwise: number) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
};
const INPUTS = argument('n', 20_000);
const SEED = argument('seed', 1);
const GROWTH_MAX_MB = 60;
const ANSWER_MAX_MS = 10_000;
/** Frames of one socket: fewer than its burst. */
const FRAMES_A_SOCKET = 40;
const AT_ONCE = 16;
const WITNESS_EVERY = 100;
/** Stands in all that the witnesses say and in their handles: whoever else hears it was told of another cluster. */
const CANARY = `canary-${randomBytes(8).toString('hex')}`;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
const random = seeded(SEED);
const below = (limit: number) => Math.floor(random() * limit);
const pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;

const FRAMES = [
  'Is the harbour open? #jobs',
  '{"payload":"see #jobs and https://example.org/#flats and `#jobs`"}',
  '{"payload":{"text":"#jobs","media":[{"mime":"image/png","url":"https://example.org/a.png"}]}}',
  '{"to":"ben","payload":{"type":"message","stream":"s-1","seq":0,"delta":"a","done":true}}',
  '{"to":["ben","cay"],"payload":[1,2.5e300,null,true,"\\ud83d\\u0000"]}',
  '{"to":[],"payload":0}',
  '{"type":"offer","price":{"amount":1}}',
];
const REQUESTS: readonly [line: string, body: string][] = [
  ['POST /v1/clusters', '{"name":"Lamp","visibility":"private","topic":"#lamp","description":"Lights."}'],
  ['GET /v1/clusters?limit=3&cursor=1', ''],
  ['GET /v1/clusters/ID?token=TOKEN', ''],
  [
    'PATCH /v1/clusters/ID',
    '{"boards_enabled":true,"props":{"where":{"lat":53.5,"lon":10,"label":"Hamburg"},"lang":"de","limits":{"post_max_chars":100}}}',
  ],
  ['DELETE /v1/clusters/c_00000000000000000000?token=TOKEN', ''],
  ['GET /v1/clusters/ID/boards', ''],
  ['POST /v1/clusters/ID/boards', '{"slug":"jobs","name":"Jobs","kind":"generic","about":"Work.","props":{"entry":{"age_min":18}}}'],
  ['GET /v1/clusters/ID/boards/jobs?adult=1', ''],
  ['PATCH /v1/clusters/ID/boards/jobs', '{"about":"More work.","props":null}'],
  [
    'POST /v1/clusters/ID/boards/jobs/posts?agent=ada&adult=1',
    '{"title":"A lamp","body":"To give away.","ttl":"7d","file":{"url":"https://example.org/a","mime":"a/b"},"props":{"where":"none","lang":"en"}}',
  ],
  ['GET /v1/clusters/ID/boards/jobs/posts?near=53.5,10&km=30&lang=de&limit=5&cursor=1', ''],
  ['DELETE /v1/clusters/ID/boards/jobs/posts/p_0000000000000000?agent=ada', ''],
  ['GET /v1/clusters/ID/history?token=TOKEN', ''],
  ['GET /v1/clusters/ID/ws?agent=ada&did=did:key:z6Mk&vis=ghost', ''],
];
const SPLINTERS = [
  '',
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\\',
  '\\u',
  '\0',
  '\u202e',
  '\ud800',
  '\u{1f4a9}',
  '#',
  '`',
  '%',
  '%00',
  '%ff',
  '&',
  '=',
  '/',
  '..',
  '?',
  ' ',
  '\r\n',
  '-1',
  '1e999',
  'null',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  '['.repeat(40),
  'payload',
  'to',
  'token=',
  'ck_',
  'c_',
  'Infinity',
  '9'.repeat(40),
];

/** `text` with some of it lost, doubled, moved, or replaced by what parsers trip over. */
function damaged(text: string): string {
  let result = text;
  for (let times = 1 + below(3); times > 0; times -= 1) {
    const from = below(result.length + 1);
    const to = Math.min(result.length, from + below(8));
    const splinter = random() < 0.3 ? result.slice(below(result.length), below(result.length)) : pick(SPLINTERS);
    result = result.slice(0, from) + splinter + result.slice(random() < 0.5 ? from : to);
  }
  return result;
}

function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = Buffer.from([below(256), below(256), below(256), below(256)]);
  const head = body.length < 126 ? [0x81, 0x80 | body.length] : [0x81, 0xfe, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), mask, body.map((byte, at) => byte ^ (mask[at & 3] as number))]);
}

/** A frame whose bytes are damaged, mostly in its head: opcode, lengths, mask, fragments. */
function damagedFrame(): Buffer {
  const frame = frameOf(pick(FRAMES));
  for (let times = 1 + below(3); times > 0; times -= 1) frame[below(random() < 0.7 ? 6 : frame.length)] = below(256);
  return random() < 0.2 ? frame.subarray(0, below(frame.length)) : frame;
}

/** Sends bytes on a connection of its own and gives what came back, once the other end closes, or `isDone`, or `quietMs` have passed in silence. */
function exchange(port: number, bytes: Buffer[], isDone: (text: string) => boolean, quietMs: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket: Socket = connect(port, '127.0.0.1');
    const finish = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding('latin1');
    socket.setTimeout(quietMs, finish);
    socket.on('data', (chunk) => {
      text += chunk;
      if (isDone(text)) finish();
    });
    socket.on('end', finish);
    socket.on('error', finish);
    for (const chunk of bytes) socket.write(chunk);
  });
}

/** How the requests that were sound enough fared, and those that were not: that both were tried. */
const statuses = { taken: 0, refused: 0 };

/** That `text`, which came back from the fuzzed cluster or a request, tells of the witnesses; undefined when it does not. */
const leakIn = (text: string) => {
  const at = text.indexOf(CANARY);
  return at === -1 ? undefined : `told of another cluster: ${text.slice(Math.max(0, at - 100), at + 60)}`;
};

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

interface Fuzzed {
  port: number;
  id: string;
  token: string;
  admin: string;
}

/** Whole sockets of damaged frames; the last is a sound one, so that its end shows that the daemon has read them all. */
async function fuzzSocket({ port, id }: Fuzzed, frames: number): Promise<string | undefined> {
  const upgrade = `GET /v1/clusters/${id}/ws?agent=fuzz${below(9)}&vis=${pick(['public', 'private', 'ghost'])} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;
  const onWire = random() < 0.5;
  const made = Array.from({ length: frames }, () => (onWire && random() < 0.3 ? damagedFrame() : frameOf(damaged(pick(FRAMES)))));
  const last = `end-${below(1e9)}`;
  const answer = await exchange(
    port,
    [Buffer.from(upgrade), ...made, frameOf(JSON.stringify({ to: last, payload: 1 }))],
    (text) => text.includes(last),
    2_000,
  );
  return statusOf(answer) === 101 ? leakIn(answer) : `an upgrade was answered ${statusOf(answer)}`;
}

async function fuzzRequest({ port, id, token, admin }: Fuzzed): Promise<string | undefined> {
  const [line, body] = pick(REQUESTS);
  const where = random();
  const filled = line.replace('ID', id).replace('TOKEN', pick([token, admin, 'ck_x']));
  const head = where < 0.4 ? damaged(filled).replace(/[\r\n]/g, '') : filled;
  const sent = Buffer.from(body === '' ? '' : where < 0.8 ? damaged(body) : body);
  const credential = random() < 0.7 ? `X-Cluster-Token: ${where > 0.8 ? damaged(admin).replace(/[^\x20-\x7e]/g, '') : admin}\r\n` : '';
  const type = sent.length > 0 ? `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n` : '';
  const request = `${head} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${credential}${type}\r\n`;
  const answer = await exchange(port, [Buffer.from(request), sent], () => false, ANSWER_MAX_MS);
  const status = statusOf(answer);
  statuses[status < 300 ? 'taken' : 'refused'] += 1;
  if (status >= 200 && status < 500) return leakIn(answer);
  return `${JSON.stringify(head.slice(0, 120))} with ${JSON.stringify(String(sent).slice(0, 120))} was answered ${status}`;
}

/** A pair in a cluster of its own, whose messages must arrive untouched and alone. */
class Witnesses {
  private sent = 0;
  private readonly heard: unknown[] = [];
  private constructor(
    private readonly ada: WebSocket,
    ben: WebSocket,
  ) {
    ben.on('message', (data) => {
      const frame = JSON.parse(String(data)) as WallFrame;
      if (frame.kind === 'message') this.heard.push(frame.payload);
    });
  }

  static async open(daemon: DaemonProcess): Promise<Witnesses> {
    const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', { name: CANARY });
    const join = async (agent: string) => {
      const socket = new WebSocket(`${ws}&agent=${agent}-${CANARY}`);
      await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
      return socket;
    };
    return new Witnesses(await join('ada'), await join('ben'));
  }

  say(): void {
    this.ada.send(JSON.stringify({ payload: `${CANARY} ${this.sent}` }));
    this.sent += 1;
  }

  async fault(): Promise<string | undefined> {
    await until(
      'every witnessed message',
      ANSWER_MAX_MS,
      () => this.heard.length,
      (heard) => heard >= this.sent,
    );
    const isRight = this.heard.length === this.sent && this.heard.every((payload, at) => payload === `${CANARY} ${at}`);
    return isRight ? undefined : `the witness heard ${this.heard.length} of ${this.sent} messages, or others`;
  }

  get count(): number {
    return this.sent;
  }
}

const KINDS = ['ready', 'presence', 'message', 'ack', 'closed', 'error', 'board'];

async function drill(): Promise<void> {
  const project = new DrillProject({ 'README.md': '# Lamp\n' });
  try {
    const daemon = await project.start({});
    const {
      cluster_id: id,
      token,
      admin_token: admin,
    } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', { visibility: 'public' });
    const fuzzed: Fuzzed = { port: Number(new URL(daemon.address).port), id, token: token as string, admin: admin as string };
    const headers = { 'x-cluster-token': fuzzed.admin };
    await daemon.call('PATCH', `/v1/clusters/${id}`, { boards_enabled: true }, headers);
    await daemon.call('POST', `/v1/clusters/${id}/boards`, { slug: 'jobs', name: 'Jobs', kind: 'generic', about: 'Work.' }, headers);
    const witnesses = await Witnesses.open(daemon);
    const listener = new WebSocket(`${daemon.address.replace('http', 'ws')}/v1/clusters/${id}/ws?agent=listener`);
    let heard = 0;
    const faults: string[] = [];
    listener.on('message', (data) => {
      heard += 1;
      const frame = JSON.parse(String(data)) as WallFrame;
      const leak = leakIn(String(data));
      if (leak !== undefined) faults.push(leak);
      if (!KINDS.includes(frame.kind)) faults.push(`the listener was told ${String(data).slice(0, 120)}`);
    });
    await new Promise((resolve, reject) => listener.once('open', resolve).once('error', reject));
    const warmed = Array.from({ length: 200 }, () => fuzzRequest(fuzzed));
    faults.push(...(await Promise.all(warmed)).filter((fault) => fault !== undefined));
    const before = daemon.residentBytes();

    let inputs = 0;
    const worker = async () => {
      while (inputs < INPUTS && faults.length < 10) {
        const isSocket = random() < 0.06;
        const now = isSocket ? FRAMES_A_SOCKET : 1;
        if (Math.floor(inputs / WITNESS_EVERY) !== Math.floor((inputs + now) / WITNESS_EVERY)) witnesses.say();
        inputs += now;
        const fault = isSocket ? await fuzzSocket(fuzzed, now) : await fuzzRequest(fuzzed);
        if (fault !== undefined) faults.push(fault);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    for (const path of ['/v1/clusters?limit=200', `/v1/clusters/${id}/boards`, `/v1/clusters/${id}/history?token=${token}`]) {
      const leak = leakIn(JSON.stringify(await daemon.call('GET', path)));
      if (leak !== undefined) faults.push(leak);
    }
    const witnessed = await witnesses.fault();
    if (witnessed !== undefined) faults.push(witnessed);
    if (listener.readyState !== WebSocket.OPEN) faults.push('the listener was cut');
    await daemon.call('GET', '/health');
    await until(
      'only the listener left',
      ANSWER_MAX_MS,
      () => daemon.call<ClusterAnswer>('GET', `/v1/clusters/${id}`),
      ({ cluster }) => cluster.online === 1,
    );
    const growth = (daemon.residentBytes() - before) / 1e6;
    report({
      drill: 'wall-fuzz',
      subject: `${inputs} damaged inputs, seed ${SEED}`,
      said:
        faults[0] ??
        `no 5xx, none unanswered; ${witnesses.count} witnessed messages intact, ${heard} frames heard; ${statuses.taken} requests taken, ${statuses.refused} refused; memory ${growth.toFixed(1)} MB more`,
      pass: faults.length === 0 && growth < GROWTH_MAX_MB && statuses.taken > 0 && statuses.refused > 0,
    });
  } catch (error) {
    report({ drill: 'wall-fuzz', subject: `seed ${SEED}`, said: String(error), pass: false });
  } finally {
    await project.remove();
  }
}

buildIfStale();
await drill();
