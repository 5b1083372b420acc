/**
 * A daemon with a secret of every kind: in files, in its environment, minted by it, and sent in valid and invalid
 * requests, while agent programs run. No byte of any secret may appear where it does not belong: files outside
 * `.mesh/credentials`, the log, responses to other callers, events, environments and command lines of other programs,
 * or files that git would commit. Credential files must be accessible to their user only. Linux only.
 *
 * `npx tsx scripts/hard/access/planted-secrets.ts`
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { POLICY } from '../../../daemon/testing/policy.js';
import { type DaemonProcess, EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { rawRequest } from '../../../daemon/testing/processes/raw-request.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import { type Answer, callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';

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

/** A response as text, with the descriptions of the secrets that it may contain. */
type Answered = [what: string, text: string, allowed: string[]];

/** Sends the requests of an operator, of programs and of agents, and keeps the responses. */
class Day {
  readonly answers: Answered[] = [];

  constructor(
    private readonly address: string,
    private readonly secrets: Secrets,
  ) {}

  /** Sends a request that may be refused. `allowed` names the secrets that the response may contain. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    allowed: string[] = [],
  ): Promise<Answer | undefined> {
    const answer = await callHttp(this.address, method, path, body, headers);
    this.answers.push([`${method} ${path}`, JSON.stringify(answer?.body ?? ''), allowed]);
    return answer;
  }

  /**
   * Sends a request that must be answered with `status`, and returns the body of the response. `mints` describes the
   * secrets in the response by their field. They are added to the secrets. Throws when the status is another one or a
   * secret is missing, because the drill would then look for secrets that were never used.
   */
  async accept(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    mints: Record<string, string> = {},
  ): Promise<Answer['body']> {
    const answer = await this.ask(method, path, body, headers, Object.values(mints));
    if (answer?.status !== status) {
      const given = answer === undefined ? 'no response' : `${answer.status}: ${JSON.stringify(answer.body)}`;
      throw new Error(`${method} ${path} must be answered with ${status}, but gave ${given}`);
    }
    for (const [field, what] of Object.entries(mints)) {
      const value: unknown = answer.body[field];
      if (typeof value !== 'string') throw new Error(`The response to ${method} ${path} has no "${field}".`);
      this.secrets.set(what, value);
    }
    return answer.body;
  }

  bearer(what: string): Record<string, string> {
    return { authorization: `Bearer ${this.secrets.get(what)}` };
  }
}

/** Requests that mint secrets: tokens, keys and clusters. Returns the ids of a public and a private cluster. */
async function mint(day: Day, secrets: Secrets): Promise<{ open: string; shut: string }> {
  await day.accept(200, 'GET', '/team/consultant', undefined, {}, { token: 'token of a member' });
  await day.accept(
    200,
    'POST',
    '/agents/register',
    { agent_id: 'keeper', capabilities: [] },
    {},
    { token: 'token of the hub', api_key: 'key of the hub' },
  );
  await day.accept(
    200,
    'POST',
    '/v1/agents/register',
    { agent_id: 'keeper' },
    {},
    { token: 'token of the API', api_key: 'key of the API' },
  );
  const open = await day.accept(
    201,
    'POST',
    '/v1/clusters',
    { name: 'Open', visibility: 'public' },
    {},
    { token: 'token of a public cluster', admin_token: 'its admin token' },
  );
  const shut = await day.accept(
    201,
    'POST',
    '/v1/clusters',
    { name: 'Shut' },
    {},
    { token: 'token of a cluster', admin_token: 'admin token of a cluster', ws: 'address of a cluster' },
  );
  // The address of the socket is secret only because it contains the token, which is recorded separately.
  secrets.delete('address of a cluster');
  return { open: open.cluster_id, shut: shut.cluster_id };
}

/** Valid requests that send the minted secrets. */
async function useSecrets(day: Day, secrets: Secrets, { open, shut }: { open: string; shut: string }): Promise<void> {
  await day.accept(201, 'POST', '/rooms', { cluster_id: shut, token: secrets.get('token of a cluster') });
  await day.accept(201, 'POST', '/wallets', { name: 'payer' });
  const asMember = day.bearer('token of a member');
  const asHub = day.bearer('token of the hub');
  const record = await day.accept(202, 'POST', '/team/consultant/ask', { text: 'What is this?' }, asMember);
  await day.accept(200, 'GET', `/team/requests/${record.request_id}?wait=10`, undefined, asMember);
  await day.accept(200, 'POST', '/agents/messages', { to: 'keeper', payload: 'Good morning.' }, asHub);
  await day.accept(200, 'PATCH', '/v1/agents/me', { description: 'Keeps.' }, day.bearer('token of the API'));
  await day.accept(
    200,
    'PATCH',
    `/v1/clusters/${open}`,
    { boards_enabled: true },
    { 'x-cluster-token': secrets.get('its admin token') as string },
  );
}

/** Credentials in the wrong place: paths, queries, invalid JSON bodies and a wrong token. */
async function misplaceSecrets(day: Day, secrets: Secrets, cluster: string): Promise<void> {
  for (const [what, secret] of [...secrets]) {
    await day.ask('GET', `/no/such/${secret}`, undefined, {}, [what]);
    await day.ask('GET', `/v1/clusters/${cluster}?token=${secret}`, undefined, {}, [what]);
    await day.ask('GET', `/agents?q=${secret}&limit=x`, undefined, {}, [what]);
    await day.ask('POST', '/v1/agents/token', `{"agent_id":"keeper","api_key":"${secret}"`, {}, [what]);
    const wrong = { authorization: `Bearer ${secret}x` };
    await day.ask('POST', '/agents/messages', { to: 'keeper', payload: 1 }, wrong, [what]);
  }
}

/**
 * Sends the requests of an operator, of programs and of agents. Returns the responses with the secrets that each may
 * contain. Adds every minted secret to `secrets`.
 */
async function aDay(address: string, secrets: Secrets): Promise<Answered[]> {
  const day = new Day(address, secrets);
  const clusters = await mint(day, secrets);
  await useSecrets(day, secrets, clusters);
  await misplaceSecrets(day, secrets, clusters.shut);
  for (const [route, access] of Object.entries(POLICY)) {
    const [method, url = ''] = route.split(' ');
    // Excludes the route that returns a member's token to the operator, the sockets, and routes that require a token.
    if (method !== 'GET' || url === '/team/:id' || url === '/events' || url.endsWith('/ws') || access === 'bearer')
      continue;
    await day.ask('GET', url.replace(/:\w+/g, 'consultant').replace('*', 'x'));
  }
  return day.answers;
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

/** Starts a daemon with secrets in its environment and its credential files, which are added to `secrets`. */
async function startWithSecrets(project: DrillProject, secrets: Secrets): Promise<DaemonProcess> {
  const planted = (what: string) => {
    secrets.set(what, canary());
    return secrets.get(what) as string;
  };
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
  return daemon;
}

/** Starts both agent programs. Returns their process ids. */
async function startPrograms(project: DrillProject, daemon: DaemonProcess): Promise<number[]> {
  for (const client of ['claude-code', 'acp'] as const) {
    const { conv } = await daemon.converse({ member: 'developer', client });
    await daemon.post(conv, 'Go on.');
  }
  return until(
    'both agent programs',
    LIMIT_MS,
    () => project.agents(),
    (pids) => pids.length >= 2,
  );
}

/** Measures the secrets in the environments and command lines of the agent programs and the daemon. */
function measurePrograms(drill: Drill, secrets: Secrets, daemon: DaemonProcess, programs: readonly number[]): void {
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
}

/** Measures the secrets in responses, in events and in the rejection of a request with a foreign host. */
async function measureAnswers(
  drill: Drill,
  secrets: Secrets,
  answers: readonly Answered[],
  feed: EventFeed,
  daemon: DaemonProcess,
): Promise<void> {
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
}

/** Measures the secrets in the files of the project, and the permissions of the files that hold them. */
function measureFiles(drill: Drill, secrets: Secrets, project: DrillProject): void {
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
}

await runDrill('planted-secrets', async (drill) => {
  if (!isLinux(drill, 'what other programs see is read from /proc')) return;
  const secrets: Secrets = new Map();
  const project = drill.project({ 'README.md': '# Lamp\n', 'scenario.json': JSON.stringify(SCENARIO) });
  const daemon = await startWithSecrets(project, secrets);
  const feed = await EventFeed.open(daemon);
  const programs = await startPrograms(project, daemon);
  const answers = await aDay(daemon.address, secrets);

  measurePrograms(drill, secrets, daemon, programs);
  await measureAnswers(drill, secrets, answers, feed, daemon);
  feed.close();
  await daemon.stop();
  measureFiles(drill, secrets, project);
});
