/**
 * Sends every wrong credential to every route that requires one: none, malformed, of another kind, of another holder,
 * changed by one character, forged, revoked. Each must be rejected as unauthorized, and the right credential must be
 * accepted, so that rejecting everything does not pass. A private resource must answer as if it did not exist. When run
 * as root, a program of another user also calls every route of the operator.
 *
 * `npx tsx scripts/hard/access/auth-matrix.ts`
 */
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { Registration } from '../../../daemon/contract/network/hub.js';
import { POLICY } from '../../../daemon/testing/policy.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { rawRequest, UPGRADE } from '../../../daemon/testing/processes/raw-request.js';
import { type Drill, runDrill } from '../drill.js';
import { many } from '../many.js';

const AT_ONCE = 8;
const NOBODY = 65_534;
const SOCKETS = ['GET /agents/ws', 'GET /ws'];

const KINDS = ['member', 'hub', 'v1', 'cluster'] as const;
type Kind = (typeof KINDS)[number];

/** The valid credential of each kind, one of each kind that was revoked, and the cluster that the requests name. */
interface Keys {
  right: Readonly<Record<Kind, string>>;
  revoked: Readonly<Record<Kind, string>>;
  otherMember: string;
  otherCluster: string;
  joiner: string;
  cluster: string;
}

async function listKeys(daemon: DaemonProcess): Promise<Keys> {
  const made = (id: string) => daemon.call<ClusterCreated>('POST', '/v1/clusters', { name: id });
  const agent = (path: string, agent_id: string) =>
    daemon.call<Registration>('POST', `${path}/register`, {
      agent_id,
      ...(path === '/agents' ? { capabilities: [] } : {}),
    });
  const [own, other, gone] = [await made('own'), await made('other'), await made('gone')];
  const [hub, v1] = [await agent('/agents', 'keeper'), await agent('/v1/agents', 'keeper')];
  const [hubGone, v1Gone] = [await agent('/agents', 'leaver'), await agent('/v1/agents', 'leaver')];
  await daemon.call('DELETE', '/agents/me', undefined, { authorization: `Bearer ${hubGone.token}` });
  await daemon.call('DELETE', '/v1/agents/me', undefined, { authorization: `Bearer ${v1Gone.token}` });
  await daemon.call('DELETE', `/v1/clusters/${gone.cluster_id}`, undefined, {
    'x-cluster-token': gone.admin_token as string,
  });
  await daemon.call('POST', '/team', { id: 'second', name: 'Second', exposure: 'external', body: 'You answer.' });
  const rotated = await daemon.getToken('consultant');
  await daemon.call('POST', '/team/consultant/token/rotate');
  return {
    right: {
      member: await daemon.getToken('consultant'),
      hub: hub.token,
      v1: v1.token,
      cluster: own.admin_token as string,
    },
    revoked: { member: rotated, hub: hubGone.token, v1: v1Gone.token, cluster: gone.admin_token as string },
    otherMember: await daemon.getToken('second'),
    otherCluster: other.admin_token as string,
    joiner: own.token as string,
    cluster: own.cluster_id,
  };
}

const getKind = (url: string): Kind =>
  url.startsWith('/v1/clusters')
    ? 'cluster'
    : url.startsWith('/v1/agents')
      ? 'v1'
      : /^\/(agents|ws)/.test(url)
        ? 'hub'
        : 'member';

const changed = (text: string, at: number) => {
  const index = at < 0 ? text.length + at : at;
  return `${text.slice(0, index)}${text[index] === 'x' ? 'y' : 'x'}${text.slice(index + 1)}`;
};
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns tokens that are unsigned, signed by another party, or changed after they were signed. */
function forged(token: string): [string, string][] {
  const [head = '', body = '', signature = ''] = token.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  const signed = (key: string) => createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
  const later = encoded({ ...claims, exp: claims.exp + 86_400 });
  return [
    ['alg none', `${encoded({ ...header, alg: 'none' })}.${body}.`],
    ['alg none with its signature', `${encoded({ ...header, alg: 'none' })}.${body}.${signature}`],
    ['no signature', `${head}.${body}.`],
    ['signed with an empty key', `${head}.${body}.${signed('')}`],
    ['signed with a guessed key', `${head}.${body}.${signed('secret')}`],
    ['made to last longer', `${head}.${later}.${signature}`],
    ['for another', `${head}.${encoded({ ...claims, sub: 'leaver' })}.${signature}`],
    ['of another registration', `${head}.${encoded({ ...claims, rid: 'x'.repeat(20) })}.${signature}`],
  ];
}

/**
 * Returns the permitted statuses for a wrong credential. After twenty failures a minute for the same subject the status
 * is 429.
 */
function refusals(kind: Kind, name: string): readonly number[] {
  // A private cluster answers readers as if it did not exist.
  if (kind === 'cluster') return [401, 404, 429];
  // The unified API answers 404 for a removed registration, so that the agent registers again. The body may be
  // validated first.
  return kind === 'v1' && name === 'revoked' ? [404, 400] : [401, 429];
}

/** Returns header lines with invalid credentials, each with a description of the defect. */
function listInvalidHeaders(route: string, kind: Kind, keys: Keys): [string, string[]][] {
  const right = keys.right[kind];
  const bearer = (value: string) => [`Authorization: Bearer ${value}`];
  // A cluster's token is also accepted in its own header, and only there without a scheme.
  const sent = (value: string) => (kind === 'cluster' ? [`X-Cluster-Token: ${value}`] : bearer(value));
  // The list of all exposed members accepts the token of any member.
  const isAnyMembers = route.endsWith(' /mcp') || route.includes('/team/requests');
  return [
    ['none', []],
    ['an empty header', ['Authorization:']],
    ['no value', ['Authorization: Bearer']],
    ['a space', ['Authorization: Bearer  ']],
    ['another scheme', [`Authorization: Basic ${Buffer.from(`x:${right}`).toString('base64')}`]],
    ['no scheme', [`Authorization: ${right}`]],
    ['scheme Token', [`Authorization: Token ${right}`]],
    ['two values', bearer(`${right} ${right}`)],
    ['a comma', bearer(`${right},${right}`)],
    ['quotes', bearer(`"${right}"`)],
    ['nonsense', sent('nonsense')],
    ['one character more', sent(`${right}x`)],
    ['one character less', sent(right.slice(0, -1))],
    ['its first half', sent(right.slice(0, right.length >> 1))],
    ['first character changed', sent(changed(right, 0))],
    ['middle character changed', sent(changed(right, right.length >> 1))],
    // The last character of base64url may contain unused bits. The one before it never does.
    ['last but one changed', sent(changed(right, -2))],
    ['upper case', sent(right.toUpperCase())],
    ['reversed', sent([...right].reverse().join(''))],
    ['very long', sent(`${right}${'x'.repeat(5_000)}`)],
    ['revoked', sent(keys.revoked[kind])],
    ['in a cookie', [`Cookie: token=${right}; authorization=Bearer ${right}`]],
    ...KINDS.filter((other) => other !== kind).map((other): [string, string[]] => [
      `of a ${other}`,
      sent(keys.right[other]),
    ]),
    ...(kind === 'member' && !isAnyMembers
      ? ([['of another member', sent(keys.otherMember)]] as [string, string[]][])
      : []),
    ...(kind === 'cluster' ? ([['of another cluster', sent(keys.otherCluster)]] as [string, string[]][]) : []),
    ...(kind === 'hub' || kind === 'v1'
      ? forged(right).map(([name, token]): [string, string[]] => [name, bearer(token)])
      : []),
  ];
}

const filled = (url: string, { cluster }: Keys) =>
  url
    .replace('/v1/clusters/:id', `/v1/clusters/${cluster}`)
    .replace(/^\/agents\/channels\/:id/, '/agents/channels/lamps')
    .replace(':id', 'consultant')
    .replace(':bid', 'jobs')
    .replace(':skill', 'ask')
    .replace(':rid', 'req-aaaaaaaaaaaaaaaa')
    .replace(/:\w+/g, 'keeper')
    .replace('*', 'tasks');

async function send(port: number, route: string, keys: Keys, headers: readonly string[]) {
  const [method, url = ''] = route.split(' ');
  const body = method === 'GET' ? '' : '{}';
  const type = body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const head = [`${method} ${filled(url, keys)} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, ...type];
  return rawRequest(port, [...head, ...(SOCKETS.includes(route) ? UPGRADE : ['Connection: close'])], body);
}

/**
 * Returns the status that a program of another user gets on each of `routes`, or undefined where no such program can be
 * started.
 */
async function readStatusesAsOtherUser(
  port: number,
  routes: readonly string[],
): Promise<Record<string, number> | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const program = `
    const routes = ${JSON.stringify(routes)}, found = {};
    for (const route of routes) {
      const [method, url] = route.split(' ');
      const response = await fetch('http://127.0.0.1:${port}' + url.replace(/:\\w+/g, 'consultant'), {
        method, ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' }) });
      await response.text();
      found[route] = response.status;
    }
    console.log(JSON.stringify(found));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) said += chunk;
  return said === '' ? undefined : (JSON.parse(said) as Record<string, number>);
}

async function otherUser(drill: Drill, port: number): Promise<void> {
  const routes = Object.keys(POLICY).filter((route) => POLICY[route] === 'operator');
  const found = await readStatusesAsOtherUser(port, routes);
  if (!found) {
    drill.notRun('routes of the operator, for a program of another user', 'needs Linux and root, to start one');
    return;
  }
  const open = routes.filter((route) => found[route] !== 403).map((route) => `${route}: ${found[route]}`);
  drill.none(`routes of the operator that a program of another user may call, of ${routes.length}`, 'routes', open);
}

await runDrill('auth-matrix', async (drill) => {
  const daemon = await drill.project().start({});
  const port = Number(new URL(daemon.address).port);
  const keys = await listKeys(daemon);
  const routes = Object.keys(POLICY).filter((route) => POLICY[route] === 'bearer');
  const wrong: string[] = [];
  const refused: string[] = [];
  const cases = routes.flatMap((route) => {
    const kind = getKind(route.split(' ')[1] ?? '');
    return listInvalidHeaders(route, kind, keys).map(([name, headers]) => ({ route, kind, name, headers }));
  });
  await many(cases, AT_ONCE, async ({ route, kind, name, headers }) => {
    const { status } = await send(port, route, keys, headers);
    if (!refusals(kind, name).includes(status)) wrong.push(`${route} with ${name}: ${status}`);
  });
  drill.none(
    `wrong credentials that were not refused, of ${cases.length}`,
    'requests',
    wrong,
    `${routes.length} routes`,
  );
  // Routes that delete the subject of the credential run last.
  const ending = (route: string) => Number(/^DELETE \/(v1\/)?(agents\/me|clusters\/:id)$/.test(route));
  for (const route of [...routes].sort((a, b) => ending(a) - ending(b))) {
    const kind = getKind(route.split(' ')[1] ?? '');
    const right = keys.right[kind];
    const { status } = await send(
      port,
      route,
      keys,
      kind === 'cluster' ? [`X-Cluster-Token: ${right}`] : [`Authorization: Bearer ${right}`],
    );
    if (status === 401 || status === 403 || status >= 500) refused.push(`${route}: ${status}`);
  }
  drill.none('right credentials that were refused', 'routes', refused);
  await otherUser(drill, port);
});
