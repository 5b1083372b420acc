/**
 * Sends requests to every route and frames to every socket, damaged at random in their bytes, heads, paths, headers,
 * lengths, chunks and bodies. A corpus of inputs that failed or are likely to fail runs first. No input may get a 5xx
 * response or hang. The daemon must survive, log no uncaught error and not grow.
 *
 * `npx tsx scripts/hard/input/http-fuzz.ts [--n 4000] [--seed 1]`
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMONS } from '../../../daemon/contract/clusters.js';
import type { Registration } from '../../../daemon/contract/network/hub.js';
import type { Dice } from '../../../daemon/testing/dice.js';
import { POLICY } from '../../../daemon/testing/policy.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { isLinux, runDrill, until } from '../drill.js';
import { Gauge, type Gauged } from '../gauge.js';
import { damaged, damagedFrame, encodeFrame, exchange, parseStatus } from '../loss/damage.js';
import { many } from '../many.js';

const AT_ONCE = 48;
const ANSWER_MAX_MS = 15_000;
/** Time after which no further response to an incomplete request is expected. */
const SAID_ALL_MS = 150;
/** Requests pipelined on one connection. All but the last have valid framing; the last may be damaged anywhere. */
const REQUESTS_A_CONNECTION = 8;
const GROWTH_MAX_MB = 80;
const FRAMES_A_SOCKET = 100;
const WARM = 500;
/** The daemon disconnects a client that does not read after eight seconds. */
const SETTLING_MS = 12_000;

const BODIES = [
  '{}',
  '[]',
  'null',
  '"x"',
  '{"text":"What is this?"}',
  '{"name":"Lamp","description":"Lights.","exposure":"external","body":"You answer."}',
  '{"agent_id":"keeper","capabilities":["mail"],"description":"Keeps.","agent_card":{"tags":["light"],"pricing":{"unit":"request","amount":5,"currency":"lamports"}}}',
  '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"x"}]}}}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
  '{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["11111111111111111111111111111111"]}',
  '{"to":"keeper","payload":{"a":[1,2.5e300,null,true,"\\ud83d"]}}',
  '{"query":"lamp","filters":{"price_max":5,"tags":["light"],"country":"IT"},"limit":3}',
  '{"dims":{"quality":0.5},"success":true,"latency_ms":100}',
  '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
];
const QUERIES = [
  '',
  '',
  '?limit=3',
  '?cursor=abc',
  '?wait=0',
  '?q=lamp',
  '?near=53.5,10&km=5',
  '?token=ck_x',
  '?path=README.md&start=1',
  '?limit=-1&limit=2',
];
const HEADERS = [
  'Content-Type: application/json',
  'Content-Type: application/json; charset=utf-7',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Content-Encoding: gzip',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Expect: 100-continue',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'Authorization: Bearer x',
  'Mesh-Sig: v1 x 1 x x',
  'X-Payment-Proof: x',
  'X-Api-Key: tk_x',
  'Idempotency-Key: \u00e9',
  'Range: bytes=0-1',
  'Accept: text/event-stream',
  'A2A-Version: 9.9',
  'Mcp-Session-Id: x',
  'If-Match: "x"',
  ' folded: line',
  'No-Colon',
  ': no name',
];

const FRAMES = [
  '{"type":"resume","seq":0}',
  '{"type":"ping"}',
  '{"type":"message","to":"keeper","payload":1}',
  '{"action":"send","to":"keeper","payload":{"text":"x"}}',
  '{"type":"auth","token":"x"}',
  '[]',
  'null',
];

/** Requests written by hand after failures elsewhere. `HOST` stands for the daemon's host. */
const CORPUS = JSON.parse(readFileSync(new URL('./corpus/requests.json', import.meta.url), 'utf8')) as {
  why: string;
  bytes: string;
}[];

interface Target {
  dice: Dice;
  port: number;
  /** Paths of the sockets with the query that admits the client. */
  sockets: readonly string[];
  token: string;
}

const routes = Object.keys(POLICY);
const WORDS = [
  'consultant',
  'developer',
  'keeper',
  'the-commons',
  'jobs',
  'lamps',
  'x',
  '..',
  '%2e%2e',
  '__proto__',
  'req-aaaaaaaaaaaaaaaa',
  '%00',
  'a'.repeat(200),
];

/**
 * Returns the bytes of a request to a random route, valid or damaged. Another request may follow unless `isLast` is
 * true.
 */
function getRequest({ dice, port, token }: Target, isLast = true): string {
  const { pick, random } = dice;
  const [method = '', url = ''] = pick(routes).split(' ');
  const sound = url.replace(/:\w+|\*/g, () => pick(WORDS)) + pick(QUERIES);
  const path = random() < 0.2 ? damaged(dice, sound).replace(/[\r\n ]/g, '') : sound;
  const body = method === 'GET' && random() < 0.9 ? '' : random() < 0.6 ? damaged(dice, pick(BODIES)) : pick(BODIES);
  const length = Buffer.byteLength(body, 'latin1');
  const headers = [
    `Host: 127.0.0.1:${port}`,
    ...(isLast ? ['Connection: close'] : []),
    ...(random() < 0.5 ? [`Authorization: Bearer ${token}`] : []),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${length}`]),
    ...(random() < 0.3 ? [pick(HEADERS)] : []),
  ];
  const line =
    `${random() < 0.03 ? pick(['HEAD', 'OPTIONS', 'TRACE', 'get', 'PURGE', 'M-SEARCH', '']) : method} ${path} ` +
    'HTTP/1.1';
  const whole = `${line}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
  // This damage may fall anywhere, also on line ends and lengths.
  return isLast ? damaged(dice, whole) : whole;
}

const shown = (bytes: string) => JSON.stringify(bytes.slice(-3_000));

interface Tried {
  /** Number of inputs that were answered, or rejected by closing the connection. */
  inputs: number;
  /** What went wrong, or undefined when each input was answered or rejected in time. */
  fault?: string | undefined;
}

async function tryRequests(port: number, bytes: string): Promise<Tried> {
  const { text, isSilent } = await exchange(port, [Buffer.from(bytes, 'latin1')], {
    quietMs: ANSWER_MAX_MS,
    endAfterMs: SAID_ALL_MS,
  });
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const inputs = Math.max(1, statuses.length);
  const worst = statuses.find((status) => status >= 500);
  if (worst !== undefined) return { inputs, fault: `${shown(bytes)} was answered ${worst}: ${text.slice(-200)}` };
  return { inputs, fault: isSilent && text === '' ? `${shown(bytes)} was neither answered nor closed` : undefined };
}

/** Opens a socket and sends damaged frames. The daemon must close the socket or continue. */
async function trySocket({ dice, port, sockets }: Target): Promise<Tried> {
  const { pick, random } = dice;
  const path = pick(sockets);
  const upgrade =
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: ` +
    `websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;
  const frames = Array.from({ length: FRAMES_A_SOCKET }, () =>
    random() < 0.4 ? damagedFrame(dice, pick(FRAMES)) : encodeFrame(dice, damaged(dice, pick(FRAMES))),
  );
  const { text } = await exchange(port, [upgrade, ...frames], {
    quietMs: ANSWER_MAX_MS,
    endAfterMs: SAID_ALL_MS,
    isAnswerFirst: true,
  });
  const status = parseStatus(text);
  return {
    inputs: FRAMES_A_SOCKET,
    fault: status === 101 ? undefined : `an upgrade of ${path.split('?')[0]} was answered ${status}`,
  };
}

/** Returns the lines of the log that report uncaught errors. */
function uncaught(root: string): string[] {
  const path = join(root, '.mesh/state/daemon.log');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter((line) => /"level":(50|60)|uncaught|unhandled/i.test(line));
}

async function getTarget(dice: Dice, daemon: DaemonProcess): Promise<Target> {
  const registered = (agent_id: string) =>
    daemon.call<Registration>('POST', '/agents/register', { agent_id, capabilities: [] });
  // Random requests may deregister the agent whose token they carry, hence another agent holds the socket.
  const [{ token }, { token: listener }] = [await registered('keeper'), await registered('listener')];
  const sockets = ['/events', `/agents/ws?token=${listener}`, `/v1/clusters/${COMMONS.id}/ws?agent=fuzz`];
  return {
    dice,
    port: Number(new URL(daemon.address).port),
    sockets,
    token: dice.pick([token, await daemon.getToken('consultant')]),
  };
}

/** The inputs of a drill and what went wrong with them. */
class Fuzzing {
  inputs = 0;
  readonly faults: string[] = [];

  constructor(private readonly target: Target) {}

  /** Sends the requests of the corpus. */
  async sendCorpus(): Promise<void> {
    const { port } = this.target;
    const host = `127.0.0.1:${port}`;
    await many(CORPUS, AT_ONCE, async ({ bytes }) =>
      this.note(await tryRequests(port, bytes.replaceAll('HOST', host))),
    );
  }

  /** Sends damaged inputs until `count` have been sent in all. */
  async upTo(count: number): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.work(count)));
  }

  private async work(count: number): Promise<void> {
    const { target } = this;
    while (this.inputs < count && this.faults.length < 10) {
      if (target.dice.random() < 0.05) this.note(await trySocket(target));
      else {
        const requests = Array.from({ length: REQUESTS_A_CONNECTION }, (_, at) =>
          getRequest(target, at === REQUESTS_A_CONNECTION - 1),
        );
        this.note(await tryRequests(target.port, requests.join('')));
      }
    }
  }

  private note({ inputs, fault }: Tried): void {
    this.inputs += inputs;
    if (fault !== undefined) this.faults.push(fault);
  }
}

await runDrill('http-fuzz', async (drill) => {
  if (!isLinux(drill, 'memory is read from /proc')) return;
  const project = drill.project();
  const gauge = new Gauge(project);
  const daemon = await project.start(gauge.environment);
  const target = await getTarget(drill.dice, daemon);
  const corpus = new Fuzzing(target);
  await corpus.sendCorpus();
  drill.none(`of ${CORPUS.length} requests of the corpus answered with a 5xx or not at all`, 'requests', corpus.faults);

  const fuzzing = new Fuzzing(target);
  await fuzzing.upTo(WARM);
  const openFiles = () => daemon.openFiles();
  const settled = (isIt: (count: number) => boolean) =>
    until('files closed', SETTLING_MS, openFiles, isIt).catch(openFiles);
  const filesBefore = openFiles();
  const before = await gauge.read(true);
  await fuzzing.upTo(drill.bound('n'));
  drill.none(`of ${fuzzing.inputs} damaged inputs answered with a 5xx or not at all`, 'inputs', fuzzing.faults);
  await daemon.call('GET', '/health');
  drill.none(
    'errors in its log',
    'lines',
    uncaught(project.root).map((line) => line.slice(0, 300)),
  );
  const after = await gauge.read(true);
  const megabytes = ({ residentBytes, heapBytes }: Gauged) =>
    `${(residentBytes / 1e6).toFixed(0)} MB of which ${(heapBytes / 1e6).toFixed(1)} MB are objects`;
  drill.measure({
    measure: 'memory of the daemon more than when it was warm, once garbage was collected',
    value: (after.residentBytes - before.residentBytes) / 1e6,
    unit: 'MB',
    atMost: GROWTH_MAX_MB,
    said: `${megabytes(before)}, then ${megabytes(after)}`,
  });
  const files = await settled((count) => count <= filesBefore);
  drill.measure({
    measure: 'open files more than when it was warm',
    value: Math.max(0, files - filesBefore),
    unit: 'files',
    exactly: 0,
    said: `${filesBefore}, then ${files}`,
  });
});
