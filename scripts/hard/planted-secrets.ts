/**
 * A daemon with a secret of every kind: in files, in its environment, minted by it, and sent in valid and invalid
 * requests, while agent programs run. No byte of any secret may appear where it does not belong: files outside
 * `.mesh/credentials`, the log, responses to other callers, events, environments and command lines of other programs,
 * or files that git would commit. Credential files must be accessible to their user only. Linux only.
 *
 * `npx tsx scripts/hard/planted-secrets.ts`
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EventFeed } from '../../daemon/testing/daemon-process.js';
import { POLICY } from '../../daemon/testing/policy.js';
import { rawRequest } from '../../daemon/testing/raw-request.js';
import { isLinux, runDrill, until } from './drill.js';
import { callHttp } from './http-call.js';
import type { DrillProject } from './project.js';

const LIMIT_MS = 30_000;
const canary = () => randomBytes(24).toString('hex');
const SCENARIO = { session: 'kept', steps: [{ text: 'Working. ' }, { hang: true }] };

/** Secrets by their description. */
type Secrets = Map<string, string>;

/** Returns the encodings in which a secret may have been written. */
function listForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [secret, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}

/** Returns the descriptions of the secrets that `text` contains, except the permitted ones. */
function found(secrets: Secrets, text: string, allowed: readonly string[] = []): string[] {
  return [...secrets]
    .filter(([what, secret]) => !allowed.includes(what) && listForms(secret).some((form) => text.includes(form)))
    .map(([what]) => what);
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * Sends the requests of an operator, of programs and of agents. Returns the responses with the secrets that each may
 * contain. Adds every minted secret to `secrets`.
 */
async function aDay(
  address: string,
  secrets: Secrets,
): Promise<{ answers: [what: string, text: string, allowed: string[]][] }> {
  const answers: [string, string, string[]][] = [];
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    mints: Record<string, string> = {},
  ) => {
    const answer = await callHttp(address, method, path, body, headers);
    const text = JSON.stringify(answer?.body ?? '');
    for (const [field, what] of Object.entries(mints)) {
      const value = answer?.body?.[field];
      if (typeof value === 'string') secrets.set(what, value);
    }
    answers.push([`${method} ${path}`, text, Object.values(mints)]);
    return answer?.body;
  };
  const bearer = (what: string) => ({ authorization: `Bearer ${secrets.get(what)}` });

  await ask('GET', '/team/consultant', undefined, {}, { token: 'token of a member' });
  await ask(
    'POST',
    '/agents/register',
    { agent_id: 'keeper', capabilities: [] },
    {},
    { token: 'token of the hub', api_key: 'key of the hub' },
  );
  await ask(
    'POST',
    '/v1/agents/register',
    { agent_id: 'keeper' },
    {},
    { token: 'token of the API', api_key: 'key of the API' },
  );
  const open = await ask(
    'POST',
    '/v1/clusters',
    { name: 'Open', visibility: 'public' },
    {},
    { token: 'token of a public cluster', admin_token: 'its admin token' },
  );
  const shut = await ask(
    'POST',
    '/v1/clusters',
    { name: 'Shut' },
    {},
    { token: 'token of a cluster', admin_token: 'admin token of a cluster', ws: 'address of a cluster' },
  );
  // The address of the socket is secret only because it contains the token, which is recorded separately.
  secrets.delete('address of a cluster');
  await ask('POST', '/rooms', { id: shut.cluster_id, token: secrets.get('token of a cluster') });
  await ask('POST', '/wallets', { name: 'payer' });
  const record = await ask('POST', '/team/consultant/ask', { text: 'What is this?' }, bearer('token of a member'));
  await ask('GET', `/team/requests/${record?.request_id}?wait=10`, undefined, bearer('token of a member'));
  await ask('POST', '/agents/messages', { to: 'keeper', payload: 'Good morning.' }, bearer('token of the hub'));
  await ask('PATCH', '/v1/agents/me', { description: 'Keeps.' }, bearer('token of the API'));
  await ask(
    'PATCH',
    `/v1/clusters/${open.cluster_id}`,
    { boards_enabled: true },
    { 'x-cluster-token': secrets.get('its admin token') as string },
  );

  // Credentials in the wrong place: paths, queries, invalid JSON bodies and a wrong token.
  for (const [what, secret] of [...secrets]) {
    await ask('GET', `/no/such/${secret}`, undefined, {}, { '-': what });
    await ask('GET', `/v1/clusters/${shut.cluster_id}?token=${secret}`, undefined, {}, { '-': what });
    await ask('GET', `/agents?q=${secret}&limit=x`, undefined, {}, { '-': what });
    await ask('POST', '/v1/agents/token', `{"agent_id":"keeper","api_key":"${secret}"`, {}, { '-': what });
    await ask(
      'POST',
      '/agents/messages',
      { to: 'keeper', payload: 1 },
      { authorization: `Bearer ${secret}x` },
      { '-': what },
    );
  }
  for (const [route, access] of Object.entries(POLICY)) {
    const [method, url = ''] = route.split(' ');
    // Excludes the route that returns a member's token to the operator, the sockets, and routes that require a token.
    if (method !== 'GET' || url === '/team/:id' || url === '/events' || url.endsWith('/ws') || access === 'bearer')
      continue;
    await ask('GET', url.replace(/:\w+/g, 'consultant').replace('*', 'x'));
  }
  return { answers };
}

/** Returns the files of `project` that other users may read or git would commit. */
function looseFiles({ root }: DrillProject): string[] {
  const folder = join(root, '.mesh/credentials');
  const loose = [folder, ...filesUnder(folder)].filter((path) => (lstatSync(path).mode & 0o077) !== 0);
  execFileSync('git', ['add', '-A'], { cwd: root });
  const tracked = execFileSync('git', ['ls-files', '--', '.mesh/credentials', '.mesh/state'], {
    cwd: root,
    encoding: 'utf8',
  });
  return [
    ...loose.map((path) => `${relative(root, path)} may be read by others`),
    ...tracked.split('\n').filter((path) => path !== ''),
  ];
}

await runDrill('planted-secrets', async (drill) => {
  if (!isLinux(drill, 'what other programs see is read from /proc')) return;
  const secrets: Secrets = new Map();
  const planted = (what: string) => {
    secrets.set(what, canary());
    return secrets.get(what) as string;
  };
  const project = drill.project({ 'README.md': '# Lamp\n', 'scenario.json': JSON.stringify(SCENARIO) });
  const environment = {
    ...project.standIns('scenario.json'),
    MESHD_PARTNER_KEYS: `partner:${planted('key of a partner')}`,
    MESHD_EMBEDDINGS_URL: 'http://127.0.0.1:9/v1',
    MESHD_EMBEDDINGS_MODEL: 'none',
    MESHD_EMBEDDINGS_KEY_NAME: 'DRILL_EMBEDDINGS_KEY',
    DRILL_EMBEDDINGS_KEY: planted('key of embeddings'),
    AWS_SECRET_ACCESS_KEY: planted('key of a cloud'),
    GITHUB_TOKEN: planted('token of a forge'),
    DATABASE_URL: `postgres://user:${planted('password of a database')}@127.0.0.1/x`,
  };
  const daemon = await project.start({ ...environment, MESHD_LOG_LEVEL: 'trace' });
  project.put('.mesh/credentials/api-key', `${planted('key of a model')}\n`);
  execFileSync('chmod', ['600', join(project.root, '.mesh/credentials/api-key')]);

  const feed = await EventFeed.open(daemon);
  for (const client of ['claude-code', 'acp'] as const) {
    const { conv } = await daemon.converse({ member: 'developer', client });
    await daemon.post(conv, 'Go on.');
  }
  const programs = await until(
    'both agent programs',
    LIMIT_MS,
    () => project.programs(),
    (pids) => pids.length >= 2,
  );
  const { answers } = await aDay(daemon.address, secrets);

  const inPrograms = programs.flatMap((pid) =>
    ['environ', 'cmdline'].flatMap((name) =>
      found(secrets, readFileSync(`/proc/${pid}/${name}`, 'latin1')).map((what) => `${what} in ${name}`),
    ),
  );
  const commandLine = found(secrets, readFileSync(`/proc/${daemon.pid}/cmdline`, 'latin1'));
  drill.none(`secrets in the environments and command lines of ${programs.length} programs`, 'secrets', [
    ...inPrograms,
    ...commandLine,
  ]);

  const inAnswers = answers.flatMap(([what, text, allowed]) =>
    found(secrets, text, allowed).map((secret) => `${secret} in the answer to ${what}`),
  );
  drill.none(`secrets in ${answers.length} answers that are not for them`, 'secrets', inAnswers);
  const inEvents = feed.frames.flatMap((frame) =>
    found(secrets, JSON.stringify(frame)).map((what) => `${what} in ${frame.type}`),
  );
  drill.none(`secrets in ${feed.frames.length} events`, 'secrets', inEvents);
  const head = [
    'GET /events HTTP/1.1',
    'Host: evil.example',
    `Authorization: Bearer ${secrets.get('token of a member')}`,
  ];
  drill.none(
    'secrets in a refusal',
    'secrets',
    found(secrets, (await rawRequest(Number(new URL(daemon.address).port), head)).body),
  );
  feed.close();
  await daemon.stop();

  // Secrets that the daemon generated for itself are collected from its credential files.
  const folder = join(project.root, '.mesh/credentials');
  for (const path of filesUnder(folder)) {
    for (const [, value] of readFileSync(path, 'utf8').matchAll(/([A-Za-z0-9_+/=-]{24,})/g))
      if (value) secrets.set(`part of ${relative(folder, path)}`, value);
  }
  const files = filesUnder(project.root).filter((path) => !path.startsWith(folder));
  const inFiles = files.flatMap((path) =>
    found(secrets, readFileSync(path, 'latin1')).map((what) => `${what} in ${relative(project.root, path)}`),
  );
  drill.none(
    `secrets in ${files.length} files beside .mesh/credentials, the log at its most talkative among them`,
    'secrets',
    inFiles,
    `${secrets.size} secrets`,
  );
  drill.none('files of secrets that others may read or git would commit', 'files', looseFiles(project));
});
