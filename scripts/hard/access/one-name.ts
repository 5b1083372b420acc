/**
 * The daemon has one name, 127.0.0.1. Every route of the policy is requested under other names of this machine, as a
 * request and as an upgrade. All are rejected; only a document under localhost is redirected. Then a program of another
 * user listens on [::1] at the daemon's port, which Chromium tries first for localhost. Its page attacks the daemon
 * while the program runs and after it has ended.
 *
 * `npx tsx scripts/hard/access/one-name.ts`
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Access } from '../../../daemon/http/callers/access.js';
import { fillRoute, POLICY } from '../../../daemon/testing/policy.js';
import { rawRequest, UPGRADE } from '../../../daemon/testing/processes/raw-request.js';
import { hasChromium, Profile, serve } from '../browser.js';
import { type Drill, runDrill } from '../drill.js';
import { many } from '../many.js';

const AT_ONCE = 8;
const ASSET = 'GET /app/assets/nothing.js';
/** Names of this machine that reach the daemon's socket, or that some parsers treat as such. */
const NAMES = [
  'localhost',
  'LOCALHOST',
  'LocalHost',
  'localhost.',
  'x.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '127.0.0.2',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1@localhost',
];
/** Names that Chromium resolves to this machine by itself. */
const RESOLVED = /^(?:localhost|\[::1\]):/;
const DOCUMENT = ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
const SCRIPT = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'];
const ASSET_LOAD = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script'];
const FRAME = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'];
const KINDS: readonly [kind: string, more: string[]][] = [
  ['plain', []],
  ['document', DOCUMENT],
  ['script', SCRIPT],
  ['asset', ASSET_LOAD],
  ['frame', FRAME],
  ['upgrade', UPGRADE],
  ['worker', ['Service-Worker: script', 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Dest: serviceworker']],
];

/** Requests every route under every name, with the headers of browsers and of programs. */
async function tryNames(drill: Drill, port: number): Promise<void> {
  const address = `http://127.0.0.1:${port}`;
  const routes = [...Object.entries(POLICY), ['GET /no/such/route', 'public'], [ASSET, 'operator']] as [
    string,
    Access,
  ][];
  const hosts = NAMES.map((name) => `${name}:${port}`).concat('localhost', '127.0.0.1', `127.0.0.1:${port + 1}`);
  // Every name as programs request it. The names that browsers resolve to this machine are also requested in every way
  // that a browser does.
  const cases = routes.flatMap(([route, access]) =>
    hosts.flatMap((host) =>
      KINDS.flatMap(([kind, more]) =>
        kind === 'plain' || (route.startsWith('GET ') && RESOLVED.test(host))
          ? [{ route, access, host, kind, more }]
          : [],
      ),
    ),
  );
  const wrong: string[] = [];
  let redirected = 0;
  await many(cases, AT_ONCE, async ({ route, access, host, kind, more }) => {
    const [method, url = ''] = route.split(' ');
    const path = fillRoute(url);
    const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...more, 'Content-Length: 2'];
    const answer = await rawRequest(port, [...head, 'Content-Type: application/json'], '{}');
    const isMoved =
      access === 'page' && host.toLowerCase() === `localhost:${port}` && (kind === 'plain' || kind === 'document');
    const location = /^location: (.*?)\r?$/im.exec(answer.head)?.[1];
    if (answer.status === 308) redirected += 1;
    if (answer.status !== (isMoved ? 308 : 421) || location !== (isMoved ? `${address}${path}` : undefined))
      wrong.push(`${kind} ${route} under ${host}: ${answer.status} ${location ?? ''}`);
  });
  drill.none(`requests under ${hosts.length} wrong names answered, of ${cases.length}`, 'requests', wrong);
  drill.measure({ measure: 'documents under localhost redirected', value: redirected, unit: '', atLeast: 1 });

  const origins: string[] = [];
  const named = hosts.filter((host) => RESOLVED.test(host)).map((host) => `http://${host}`);
  await many(
    routes.flatMap(([route, access]) => named.map((origin) => ({ route, access, origin }))),
    AT_ONCE,
    async (one) => {
      const [method, url = ''] = one.route.split(' ');
      if (one.access === 'card' && method === 'GET') return;
      for (const more of method === 'GET' ? [[], UPGRADE] : [[]]) {
        const head = [
          `${method} ${fillRoute(url)} HTTP/1.1`,
          `Host: 127.0.0.1:${port}`,
          `Origin: ${one.origin}`,
          ...more,
        ];
        const { status } = await rawRequest(port, [...head, 'Content-Length: 0']);
        if (status !== 403) origins.push(`${one.route} from ${one.origin}: ${status}`);
      }
    },
  );
  drill.none('requests and upgrades of pages of wrong names answered', 'requests', origins);
}

const HOSTILE_PAGE =
  '<!doctype html><title>hostile</title><body><script type="module" src="/attack.js"></script></body>';
const ATTACK = readFileSync(fileURLToPath(new URL('./hostile-page.mjs', import.meta.url)));

/** Opens the page of another user's program on [::1] under the name that users type. */
async function tryPage(drill: Drill, port: number, members: () => Promise<number>): Promise<void> {
  const what = 'a page of [::1] in a real browser';
  if (!hasChromium(drill, what)) return;
  const hostile = await serve('::1', port, ({ url }, response) => {
    if (url === '/attack.js') response.setHeader('content-type', 'text/javascript').end(ATTACK);
    else response.setHeader('content-type', 'text/html').end(HOSTILE_PAGE);
  }).catch(() => undefined);
  if (hostile === undefined) return drill.notRun(what, 'this machine has no [::1]');
  drill.atEnd(hostile.end);
  const before = await members();
  const context = await new Profile(drill).open();
  const page = await context.newPage();
  const under = `http://localhost:${port}`;
  const own = `http://127.0.0.1:${port}`;
  const attack = (target: string) => page.evaluate<string[]>(`attack(${JSON.stringify(target)})`);
  await page.goto(`${under}/`);
  drill.holds('localhost is another program to Chromium', await page.title(), (await page.title()) === 'hostile');
  const through = (await attack(own)).map((one) => `${one}, its program running`);
  // When no program listens on [::1], the same name leads the same page to the daemon.
  await hostile.end();
  for (const target of [under, own])
    through.push(...(await attack(target)).map((one) => `${one} at ${target}, its program ended`));
  drill.none('what a page of [::1] got through', 'tries', through);
  drill.measure({ measure: 'members made by it', value: (await members()) - before, unit: 'members', exactly: 0 });
  // The address of the answer, not of the page: the dashboard drops parameters that a page does not have.
  const arrived = (await page.goto(`${under}/app/team?from=typed`))?.url() ?? 'no answer';
  drill.holds(
    'a document under localhost is opened at the one address',
    arrived,
    arrived === `${own}/app/team?from=typed`,
  );
}

await runDrill('one-name', async (drill) => {
  const daemon = await drill.project().start({});
  const port = Number(new URL(daemon.address).port);
  await tryNames(drill, port);
  await tryPage(drill, port, async () => (await daemon.call<{ count: number }>('GET', '/team')).count);
});
