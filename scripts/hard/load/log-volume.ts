/**
 * The amount of log output that attackers can cause. Each kind of attack runs at full speed and may cause ten lines and
 * then one per second. Takes half a minute.
 *
 * `npx tsx scripts/hard/load/log-volume.ts [--seconds 5]`
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { runDrill } from '../drill.js';
import { callHttp } from '../http-call.js';
import { clientFrame, WallLine } from '../wall-line.js';

const AT_ONCE = 8;
const LINES_FREE = 10;
const LINES_A_SECOND = 1;

/** Performs one attack once. */
type Attack = (daemon: DaemonProcess, wall: string, number: number) => Promise<unknown>;

const call =
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Attack =>
  ({ address }) =>
    callHttp(address, method, path, body, headers);

const raw =
  (text: (host: string) => string): Attack =>
  ({ address }) =>
    new Promise<void>((resolve) => {
      const { host, port } = new URL(address);
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(text(host), 'latin1'));
      socket.resume();
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
    });

const wallFrame =
  (bytes: () => Buffer): Attack =>
  async ({ address }, wall, number) => {
    const line = await WallLine.open(Number(new URL(address).port), `${wall}${number}`);
    line.write(bytes());
    await line.ended;
  };

const ATTACKS: Readonly<Record<string, Attack>> = {
  'another Host': raw(() => 'GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
  'another Origin': call('POST', '/v1/clusters', {}, { origin: 'https://evil.example' }),
  'no HTTP': raw(() => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'),
  'a path that cannot be decoded': raw((host) => `GET /%ff%zz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
  'no such route': call('GET', '/no/such/route'),
  'a body that is no JSON': call('POST', '/v1/clusters', '{'),
  'a wrong token': call('POST', '/team/consultant/ask', { text: 'x' }, { authorization: 'Bearer mk_wrong' }),
  'an unknown member': call('POST', '/team/nobody-here/ask', { text: 'x' }),
  'a refused upgrade': raw(
    (host) =>
      `GET /v1/clusters/c_none/ws?agent=x HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: ` +
      'websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  ),
  'a frame that is none': wallFrame(() => Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0])),
  'a frame that is not UTF-8': wallFrame(() => clientFrame(Buffer.from([0xc3, 0x28]))),
  'a frame too large': wallFrame(() => clientFrame(Buffer.from([0]), 2)),
};

await runDrill('log-volume', async (drill) => {
  const seconds = drill.bound('seconds');
  const project = drill.project();
  const daemon = await project.start();
  const { ws } = await daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
  const { pathname, search } = new URL(ws as string);
  const lines = () => readFileSync(join(project.root, '.mesh/state/daemon.log'), 'utf8').split('\n').length - 1;
  const most = LINES_FREE + LINES_A_SECOND * seconds;
  for (const [what, attack] of Object.entries(ATTACKS)) {
    const before = lines();
    const endMs = performance.now() + seconds * 1_000;
    let tries = 0;
    const attacker = async () => {
      while (performance.now() < endMs) {
        tries += 1;
        await attack(daemon, `${pathname}${search}&agent=attacker-`, tries).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, attacker));
    drill.measure({
      measure: `${what}: lines of the log`,
      value: lines() - before,
      unit: 'lines',
      atMost: most,
      said: `${tries} times in ${seconds} s`,
    });
  }
});
