/**
 * Sends frames and requests for clusters, boards and the Wall, damaged at random in their text, in the bytes of their
 * WebSocket frames, in paths, queries, headers and bodies. No response may be a 5xx and none may be missing. The daemon
 * must survive and not grow. Messages in another cluster must arrive unchanged and only there: no response and no
 * member of the fuzzed cluster may learn of them.
 *
 * `npx tsx scripts/hard/input/wall-fuzz.ts [--n 20000] [--seed 1]`
 */
import { randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';
import type { ClusterAnswer, ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { WallFrame } from '../../../daemon/contract/wall.js';
import type { Dice } from '../../../daemon/testing/dice.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { isLinux, runDrill, until } from '../drill.js';
import { Gauge } from '../gauge.js';
import { clusterWithBoards } from '../load/boards.js';
import { damaged, damagedFrame, encodeFrame, exchange, parseStatus } from '../loss/damage.js';

const GROWTH_MAX_MB = 60;
const ANSWER_MAX_MS = 10_000;
/** Frames per socket. Fewer than the burst of its rate limit. */
const FRAMES_A_SOCKET = 40;
const AT_ONCE = 16;
const WARM_MIN = 1_000;
const WITNESS_EVERY = 100;
/** Part of every witness message and handle. If it appears elsewhere, another cluster was disclosed. */
const CANARY = `canary-${randomBytes(8).toString('hex')}`;

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
  [
    'POST /v1/clusters/ID/boards',
    '{"slug":"jobs","name":"Jobs","kind":"generic","about":"Work.","props":{"entry":{"age_min":18}}}',
  ],
  ['GET /v1/clusters/ID/boards/jobs?adult=1', ''],
  ['PATCH /v1/clusters/ID/boards/jobs', '{"about":"More work.","props":null}'],
  [
    'POST /v1/clusters/ID/boards/jobs/posts?agent=ada&adult=1',
    '{"title":"A lamp","body":"To give ' +
      'away.","ttl":"7d","file":{"url":"https://example.org/a","mime":"a/b"},"props":{"where":"none","lang":"en"}}',
  ],
  ['GET /v1/clusters/ID/boards/jobs/posts?near=53.5,10&km=30&lang=de&limit=5&cursor=1', ''],
  ['DELETE /v1/clusters/ID/boards/jobs/posts/p_0000000000000000?agent=ada', ''],
  ['GET /v1/clusters/ID/history?token=TOKEN', ''],
  ['GET /v1/clusters/ID/ws?agent=ada&did=did:key:z6Mk&vis=ghost', ''],
];
/** Number of accepted and rejected requests. Both must occur. */
const statuses = { taken: 0, refused: 0 };

/**
 * Returns a message if `text`, received from the fuzzed cluster or in a response, discloses the witnesses, otherwise
 * undefined.
 */
const findLeak = (text: string) => {
  const at = text.indexOf(CANARY);
  return at === -1 ? undefined : `told of another cluster: ${text.slice(Math.max(0, at - 100), at + 60)}`;
};

interface Fuzzed {
  dice: Dice;
  port: number;
  id: string;
  token: string;
  admin: string;
}

/**
 * Opens a socket and sends damaged frames. The last frame is valid; the response to it shows that the daemon has read
 * them all.
 */
async function fuzzSocket({ dice, port, id }: Fuzzed, frames: number): Promise<string | undefined> {
  const { below, pick, random } = dice;
  const upgrade =
    `GET /v1/clusters/${id}/ws?agent=fuzz${below(9)}&vis=${pick(['public', 'private', 'ghost'])} ` +
    `HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: ` +
    `13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;
  const onWire = random() < 0.5;
  const made = Array.from({ length: frames }, () =>
    onWire && random() < 0.3 ? damagedFrame(dice, pick(FRAMES)) : encodeFrame(dice, damaged(dice, pick(FRAMES))),
  );
  const last = `end-${below(1e9)}`;
  const { text } = await exchange(
    port,
    [upgrade, ...made, encodeFrame(dice, JSON.stringify({ to: last, payload: 1 }))],
    {
      isDone: (come) => come.includes(last),
      quietMs: 2_000,
    },
  );
  return parseStatus(text) === 101 ? findLeak(text) : `an upgrade was answered ${parseStatus(text)}`;
}

async function fuzzRequest({ dice, port, id, token, admin }: Fuzzed): Promise<string | undefined> {
  const { pick, random } = dice;
  const [line, body] = pick(REQUESTS);
  const where = random();
  const filled = line.replace('ID', id).replace('TOKEN', pick([token, admin, 'ck_x']));
  const head = where < 0.4 ? damaged(dice, filled).replace(/[\r\n]/g, '') : filled;
  const sent = Buffer.from(body === '' ? '' : where < 0.8 ? damaged(dice, body) : body);
  const credential =
    random() < 0.7
      ? `X-Cluster-Token: ${where > 0.8 ? damaged(dice, admin).replace(/[^\x20-\x7e]/g, '') : admin}\r\n`
      : '';
  const type = sent.length > 0 ? `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n` : '';
  const request = `${head} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${credential}${type}\r\n`;
  const { text } = await exchange(port, [Buffer.from(request), sent], { quietMs: ANSWER_MAX_MS });
  const status = parseStatus(text);
  // A request without a response has the status 0. It is neither accepted nor rejected, but a fault.
  if (status !== 0) statuses[status < 300 ? 'taken' : 'refused'] += 1;
  if (status >= 200 && status < 500) return findLeak(text);
  return (
    `${JSON.stringify(head.slice(0, 120))} with ${JSON.stringify(String(sent).slice(0, 120))} was ` +
    `answered ${status}`
  );
}

/** Two members of a separate cluster, whose messages must arrive unchanged and only there. */
class Witnesses {
  private sent = 0;
  private readonly received: unknown[] = [];
  private constructor(
    private readonly ada: WebSocket,
    ben: WebSocket,
  ) {
    ben.on('message', (data) => {
      const frame = JSON.parse(String(data)) as WallFrame;
      if (frame.kind === 'message') this.received.push(frame.payload);
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
      () => this.received.length,
      (received) => received >= this.sent,
    );
    const isRight =
      this.received.length === this.sent && this.received.every((payload, at) => payload === `${CANARY} ${at}`);
    return isRight ? undefined : `the witness heard ${this.received.length} of ${this.sent} messages, or others`;
  }

  get count(): number {
    return this.sent;
  }
}

const KINDS = ['ready', 'presence', 'message', 'ack', 'closed', 'error', 'board'];

/** A member of the fuzzed cluster, which must never learn of the witnesses. */
class Listener {
  received = 0;
  private readonly socket: WebSocket;

  private constructor(
    daemon: DaemonProcess,
    id: string,
    private readonly faults: string[],
  ) {
    this.socket = new WebSocket(`${daemon.address.replace('http', 'ws')}/v1/clusters/${id}/ws?agent=listener`);
    this.socket.on('message', (data) => this.hear(String(data)));
  }

  static async open(daemon: DaemonProcess, id: string, faults: string[]): Promise<Listener> {
    const listener = new Listener(daemon, id, faults);
    await new Promise((resolve, reject) => listener.socket.once('open', resolve).once('error', reject));
    return listener;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  private hear(text: string): void {
    this.received += 1;
    const frame = JSON.parse(text) as WallFrame;
    const leak = findLeak(text);
    if (leak !== undefined) this.faults.push(leak);
    if (!KINDS.includes(frame.kind)) this.faults.push(`the listener was told ${text.slice(0, 120)}`);
  }
}

/** The damaged inputs of a drill, sent by several workers at once while the witnesses talk. */
class Fuzzing {
  inputs = 0;
  private goal = 0;

  constructor(
    private readonly fuzzed: Fuzzed,
    private readonly witnesses: Witnesses,
    private readonly faults: string[],
  ) {}

  /** Sends inputs until `count` have been sent in all. */
  async upTo(count: number): Promise<void> {
    this.goal = count;
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.work()));
  }

  private async work(): Promise<void> {
    while (this.inputs < this.goal && this.faults.length < 10) {
      const isSocket = this.fuzzed.dice.random() < 0.06;
      const now = isSocket ? FRAMES_A_SOCKET : 1;
      if (Math.floor(this.inputs / WITNESS_EVERY) !== Math.floor((this.inputs + now) / WITNESS_EVERY))
        this.witnesses.say();
      this.inputs += now;
      const fault = isSocket ? await fuzzSocket(this.fuzzed, now) : await fuzzRequest(this.fuzzed);
      if (fault !== undefined) this.faults.push(fault);
    }
  }
}

/** Adds to `faults` what the fuzzed cluster discloses of the witnesses, and what they have missed. */
async function lookForLeaks(
  daemon: DaemonProcess,
  { id, token }: Fuzzed,
  witnesses: Witnesses,
  faults: string[],
): Promise<void> {
  for (const path of [
    '/v1/clusters?limit=200',
    `/v1/clusters/${id}/boards`,
    `/v1/clusters/${id}/history?token=${token}`,
  ]) {
    const leak = findLeak(JSON.stringify(await daemon.call('GET', path)));
    if (leak !== undefined) faults.push(leak);
  }
  const witnessed = await witnesses.fault();
  if (witnessed !== undefined) faults.push(witnessed);
}

await runDrill('wall-fuzz', async (drill) => {
  if (!isLinux(drill, 'memory is read from /proc')) return;
  const wanted = drill.bound('n');
  const project = drill.project();
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  const { made } = await clusterWithBoards(daemon, ['jobs'], { visibility: 'public' });
  const id = made.cluster_id;
  const [token, admin] = [made.token as string, made.admin_token as string];
  const fuzzed: Fuzzed = { dice: drill.dice, port: Number(new URL(daemon.address).port), id, token, admin };
  const faults: string[] = [];
  const witnesses = await Witnesses.open(daemon);
  const listener = await Listener.open(daemon, id, faults);
  const fuzzing = new Fuzzing(fuzzed, witnesses, faults);
  // The memory after a warm-up with all kinds of input is the base for the growth.
  await fuzzing.upTo(Math.max(WARM_MIN, wanted / 10));
  const before = await gauge.read(true);
  await fuzzing.upTo(wanted);
  await lookForLeaks(daemon, fuzzed, witnesses, faults);
  if (!listener.isOpen) faults.push('the listener was cut');
  await daemon.call('GET', '/health');
  await until(
    'only the listener left',
    ANSWER_MAX_MS,
    () => daemon.call<ClusterAnswer>('GET', `/v1/clusters/${id}`),
    ({ cluster }) => cluster.online === 1,
  );
  drill.none(
    `5xx, missing answers and leaks in ${fuzzing.inputs} damaged inputs`,
    'inputs',
    faults,
    `${witnesses.count} witnessed messages intact, ${listener.received} frames heard; ${statuses.taken} ` +
      `requests taken, ${statuses.refused} refused`,
  );
  drill.holds(
    'both sound and damaged requests were tried',
    JSON.stringify(statuses),
    statuses.taken > 0 && statuses.refused > 0,
  );
  const after = await gauge.read(true);
  drill.measure({
    measure: 'memory of the daemon more than before, once garbage was collected',
    value: (after.residentBytes - before.residentBytes) / 1e6,
    unit: 'MB',
    atMost: GROWTH_MAX_MB,
  });
});
