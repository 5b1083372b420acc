/**
 * Requests every route of the policy with every header set of a foreign page or name, as a request and as an upgrade,
 * and with foreign request targets. Each must be rejected with the documented status, in a few bytes and without naming
 * what is permitted. In the full tier a real browser follows: a page on another port and a page of another name attack
 * the daemon.
 *
 * `npx tsx scripts/hard/access/foreign-callers.ts`
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Access } from '../../../daemon/http/callers/access.js';
import { fillRoute, foreignSets, OPEN_SOCKETS, POLICY } from '../../../daemon/testing/policy.js';
import { rawRequest, UPGRADE } from '../../../daemon/testing/processes/raw-request.js';
import { type Drill, runDrill } from '../drill.js';
import { many } from '../many.js';

const AT_ONCE = 8;
const REFUSAL_MAX_BYTES = 200;

type HeaderSet = ReturnType<typeof foreignSets>[number];

/** Header sets in addition to those of the unit tests. */
function moreSets(port: number): HeaderSet[] {
  const own = `127.0.0.1:${port}`;
  const hosts = [
    `127.evil.com:${port}`,
    'localhost',
    `[::ffff:127.0.0.1]:${port}`,
    `127.0.0.1:0${port}`,
    `${own}.evil.example`,
    `evil.example#${own}`,
  ];
  const origins = [
    `http://127.0.0.1.evil.com:${port}`,
    `http://localhost.:${port}`,
    `http://${own}/`,
    `http://${own}@evil.example`,
    'file://',
    'chrome-extension://abcdefghijklmnop',
    `http://0.0.0.0:${port}`,
  ];
  return [
    ...hosts.map((host): HeaderSet => [`Host ${host}`, [`Host: ${host}`], [], 421]),
    ...origins.map((origin): HeaderSet => [`Origin ${origin}`, [`Host: ${own}`], [`Origin: ${origin}`], 403]),
    [
      'embedded',
      [`Host: ${own}`],
      ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: object'],
      403,
    ],
    [
      'own Origin, cross-site',
      [`Host: ${own}`],
      [`Origin: http://${own}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors'],
      403,
    ],
  ];
}

/** Returns what is wrong with a rejection, or undefined. */
function getFault(reply: { status: number; head: string; body: string }, status: number): string | undefined {
  if (reply.status !== status) return `${reply.status} and not ${status}`;
  if (/^access-control-/im.test(reply.head)) return 'says what is allowed';
  if (/^(server|x-powered-by):/im.test(reply.head)) return 'says what it is';
  return reply.body.length < REFUSAL_MAX_BYTES ? undefined : `${reply.body.length} bytes long`;
}

/** A route of the policy, requested with one header set. */
interface Case {
  route: string;
  access: Access;
  set: HeaderSet;
}

/** Sends each case as a request. */
async function sendRequests(drill: Drill, port: number, cases: readonly Case[], message: string): Promise<void> {
  const faults: string[] = [];
  await many(cases, AT_ONCE, async ({ route, access, set: [name, host, more, status] }) => {
    const [method, url = ''] = route.split(' ');
    // A public card permits pages of any origin.
    if (access === 'card' && method === 'GET' && status === 403) return;
    const head = [
      `${method} ${fillRoute(url)} HTTP/1.1`,
      ...host,
      ...more,
      'Content-Type: application/json',
      'Content-Length: 2',
    ];
    const fault = getFault(await rawRequest(port, head, '{}'), status);
    if (fault !== undefined) faults.push(`${route} with ${name}: ${fault}`);
  });
  drill.none(`requests of foreign pages and names let through, of ${cases.length}`, 'requests', faults, message);
}

/** Sends each case of a GET route as an upgrade, and those routes as a local program does. */
async function sendUpgrades(drill: Drill, port: number, cases: readonly Case[]): Promise<void> {
  const upgraded: string[] = [];
  const upgrades = cases.filter(
    ({ route, access, set }) => route.startsWith('GET ') && !(access === 'card' && set[3] === 403),
  );
  await many(upgrades, AT_ONCE, async ({ route, set: [name, host, more, status] }) => {
    const reply = await rawRequest(port, [`GET ${fillRoute(route.slice(4))} HTTP/1.1`, ...host, ...more, ...UPGRADE]);
    if (reply.status !== status) upgraded.push(`${route} with ${name}: ${reply.status}`);
  });
  for (const route of Object.keys(POLICY).filter((one) => one.startsWith('GET '))) {
    const url = route.slice(4);
    const { status } = await rawRequest(port, [
      `GET ${fillRoute(url)} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      ...UPGRADE,
    ]);
    if (status !== (OPEN_SOCKETS[url] ?? 404)) upgraded.push(`${route} from a local program: ${status}`);
  }
  drill.none(`upgrades let through, of ${upgrades.length}`, 'upgrades', upgraded);
}

/** Sends request targets that are no path of the daemon's own. */
async function sendTargets(drill: Drill, port: number): Promise<void> {
  const targets: string[] = [];
  for (const line of [
    `GET http://evil.example/team HTTP/1.1`,
    `GET http://127.0.0.1:${port}/team HTTP/1.1`,
    'GET * HTTP/1.1',
    'GET /team HTTP/1.0',
    `CONNECT 127.0.0.1:${port} HTTP/1.1`,
  ]) {
    const { status } = await rawRequest(port, [line, `Host: 127.0.0.1:${port}`]);
    if (status >= 200 && status < 400) targets.push(`${line}: ${status}`);
  }
  drill.none('targets of other forms let through', 'requests', targets);
}

await runDrill('foreign-callers', async (drill) => {
  const daemon = await drill.project().start({});
  const port = Number(new URL(daemon.address).port);
  const sets = [...foreignSets(port), ...moreSets(port)];
  const routes = [...Object.entries(POLICY), ['GET /no/such/route', 'public'] as [string, Access]];
  const cases = routes.flatMap(([route, access]) => sets.map((set) => ({ route, access, set })));
  await sendRequests(drill, port, cases, `${routes.length} routes, ${sets.length} header sets`);
  await sendUpgrades(drill, port, cases);
  await sendTargets(drill, port);

  if (drill.bound('browser') === 0) return;
  const config = fileURLToPath(new URL('../../../e2e/playwright.config.ts', import.meta.url));
  const browser = spawnSync('npx', ['playwright', 'test', '--config', config, 'foreign-pages', '--workers', '1'], {
    encoding: 'utf8',
  });
  const said = browser.stdout.trim().split('\n').slice(-3).join(' ');
  drill.holds('pages in a real browser: nothing they try gets through or can be read', said, browser.status === 0);
});
