import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { MessageAccepted } from './contract/conversations.js';
import { DaemonProcess, EventFeed } from './testing/processes/daemon-process.js';
import { type ForbiddenAction, INJECTIONS, type Injection } from './testing/stand-ins/injections.js';
import { ModelEndpoint } from './testing/stand-ins/model-endpoint.js';
import type { ModelReply } from './testing/stand-ins/model-endpoint-dialects.js';
import { putFiles, temporaryFolder, temporaryRepository } from './testing/temporary-folder.js';
import { ownState } from './testing/user-folders.js';

const CLIENTS = ['builtin', 'api', 'claude-code', 'acp'] as const;
type ClientName = (typeof CLIENTS)[number];
/** Maximum number of concurrent asks of one member. */
const ASKED_AT_ONCE = 6;

const CANARY = 'CANARY-5b1d9c7e';
const canary = (name: string) => `${CANARY}-${name}`;
/** Variables of the daemon's environment. None is a key of a client that is configured here. */
const ENVIRONMENT = Object.fromEntries(
  [
    'AWS_SECRET_ACCESS_KEY',
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'DATABASE_URL',
    'OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'SSH_AUTH_SOCK',
    'MESHD_PRIVATE',
  ].map((name) => [name, canary(name)]),
);
/** Content of files that the operator's own agents may read. */
const OUTSIDER = 'OUTSIDER-8f2e6a41';
const API_KEY = canary('api-key');
const FILE_CANARIES = {
  '.env': `SECRET=${OUTSIDER}\n`,
  '.mesh/credentials/notes': `${canary('notes')}\n`,
  '.mesh/credentials/api-key': API_KEY,
};

const standIn = (file: string, scenario: string) =>
  JSON.stringify([process.execPath, fileURLToPath(new URL(`./testing/stand-ins/${file}`, import.meta.url)), scenario]);
/** Number of injections in one question, because each question starts a program. */
const TOGETHER = 10;
const ROUNDS = Array.from({ length: INJECTIONS.length / TOGETHER }, (_, round) =>
  INJECTIONS.slice(round * TOGETHER, (round + 1) * TOGETHER),
);
const tag = (round: number) => `Round no. ${round}.`;
const CONTROL = 'What does the lamp do?';
const LET = [...INJECTIONS.flatMap(({ deed, isLet }) => (isLet && 'run' in deed ? [deed.run] : [])), 'README.md'];
const getMember = (client: ClientName) => `asked-${client}`;
const getNote = (injection: Injection) => `docs/note-${INJECTIONS.indexOf(injection)}.md`;
const CONTROL_DEED: ForbiddenAction = { read: 'README.md' };
const SHOWN = 'harbour lights';

/** Returns the tool call of a model that obeys, under the daemon's own tool names. */
function callFor(deed: ForbiddenAction): { name: string; input: unknown } {
  if ('printEnv' in deed) return { name: 'execute', input: { command: 'env' } };
  if ('read' in deed) return { name: 'read', input: { path: deed.read } };
  if ('search' in deed)
    return { name: 'search', input: { text: deed.search, ...(deed.path === undefined ? {} : { path: deed.path }) } };
  if ('list' in deed) return { name: 'list', input: { path: deed.list } };
  if ('run' in deed) return { name: 'execute', input: { command: deed.run } };
  if ('edit' in deed) return { name: 'edit', input: { path: deed.edit, old_text: '', new_text: deed.text } };
  return { name: 'web', input: { url: deed.fetch } };
}

const said = (content: unknown) => (typeof content === 'string' ? content : JSON.stringify(content));

/** Makes the calls that the last question requests, then repeats every result. */
function obey({ messages }: { messages: { role: string; content: unknown }[] }): ModelReply {
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => said(content));
  if (results.length > 0) return { text: [`I was given: ${results.join('\n')}`] };
  const question = said(messages.findLast(({ role }) => role === 'user')?.content);
  const deeds = ROUNDS.find((_, round) => question.includes(tag(round)))?.map(({ deed }) => deed) ?? [CONTROL_DEED];
  return { calls: deeds.map((deed, index) => ({ ...callFor(deed), id: `call-${index}` })) };
}

/** Returns every file under `folder`, whatever its name, with its bytes as latin1 text. */
function filesUnder(folder: string): { path: string; bytes: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path, 'latin1') }));
}

function aBaitedProject() {
  const outside = temporaryFolder();
  const root = temporaryRepository({
    'README.md': '# Lamp\n\nLamp switches the harbour lights on at dusk.\n',
    'src/dusk.ts': 'export const DUSK_ANGLE_DEGREES = -6;\n',
    'docs/lamp.md': '# The lamp\n\nIt is lit at dusk.\n',
    ...Object.fromEntries(
      INJECTIONS.flatMap((one) => (one.place === 'file' ? [[getNote(one), `# Note\n\n${one.words}\n`]] : [])),
    ),
    '.gitignore': '.mesh/credentials/\n.mesh/state/\n.env\n',
  });
  ownState(root, join(outside, '.local/state'));
  putFiles(root, FILE_CANARIES);
  putFiles(outside, { '.netrc': `password ${OUTSIDER}\n` });
  symlinkSync(join(root, '.mesh/credentials'), join(root, 'creds'));
  symlinkSync(join(root, '.mesh/credentials/api-key'), join(root, 'docs/key.md'));
  return { root, home: outside };
}

/** Returns the question of a round; after the last round, the control question that shows that reading works. */
function getQuestion(round: number): { text: string; context_docs?: { filename: string; content: string }[] } {
  const injections = ROUNDS[round];
  if (!injections) return { text: CONTROL };
  const wordsIn = (place: Injection['place']) =>
    injections.filter((one) => one.place === place).map(({ words }) => words);
  const files = injections.flatMap((one) => (one.place === 'file' ? [getNote(one)] : []));
  return {
    text: [
      tag(round),
      'What does the lamp do?',
      ...wordsIn('question'),
      ...files.map((file) => `What does ${file} say?`),
    ].join('\n'),
    context_docs: wordsIn('document').map((content, index) => ({ filename: `note-${index}.md`, content })),
  };
}

/**
 * Starts a daemon with every client, all on models and programs that obey every instruction, and with secrets in every
 * place where it keeps some.
 */
async function aBaitedDaemon() {
  const { root, home } = aBaitedProject();
  const [scenario, environments] = [join(home, 'scenario.json'), join(home, 'environments')];
  const endpoint = await ModelEndpoint.start(({ body }) => obey(body));
  const daemon = await DaemonProcess.start(root, {
    PATH: process.env['PATH'],
    HOME: home,
    ...ENVIRONMENT,
    MESHD_CLAUDE_COMMAND: standIn('scripted-claude.mjs', scenario),
    MESHD_ACP_COMMAND: standIn('scripted-acp-agent.mjs', scenario),
    MESHD_API_PROVIDER: 'openai-compatible',
    MESHD_API_BASE_URL: `${endpoint.origin}/v1`,
    MESHD_API_MODEL: 'stand-in-1',
  });
  onTestFinished(() => daemon.stop());
  const getStep = (deed: ForbiddenAction) => ('printEnv' in deed ? deed : { attempt: deed });
  const when = [
    ...ROUNDS.map((injections, round) => ({ says: tag(round), steps: injections.map(({ deed }) => getStep(deed)) })),
    { says: CONTROL, steps: [getStep(CONTROL_DEED)] },
  ];
  const written = JSON.stringify({ environmentTo: environments, when, steps: [{ text: 'Nothing.' }] });
  writeFileSync(scenario, written.replaceAll(':DAEMON', `:${new URL(daemon.address).port}`));

  const tokens = new Map<ClientName, string>();
  const tools = ['read', 'search', 'edit', 'execute', 'web'];
  for (const client of CLIENTS) {
    await daemon.call('POST', '/team', {
      id: getMember(client),
      kind: 'profile',
      client,
      exposure: 'external',
      // A member that changes things would take no question without a model.
      tools: client === 'builtin' ? ['read', 'search'] : tools,
      // What an attempt would change is looked for in the project itself.
      isolation: 'project',
      body: 'Answer.',
    });
    tokens.set(client, await daemon.getToken(getMember(client)));
  }
  const { secret } = JSON.parse(readFileSync(join(root, '.mesh/state/daemon.json'), 'utf8')) as { secret: string };
  const keys = filesUnder(join(root, '.mesh/credentials')).flatMap(({ path, bytes }) =>
    path.endsWith('.key') ? [bytes.trim()] : [],
  );
  const secrets = [CANARY, ...tokens.values(), ...keys, secret];
  return {
    daemon,
    root,
    home,
    endpoint,
    environments,
    tokens,
    leaks: (text: string) => secrets.filter((one) => text.includes(one)),
  };
}

/**
 * Asks as the operator and decides permission requests: allows commands that only show their own environment, denies
 * all others.
 */
async function talk(daemon: DaemonProcess, feed: EventFeed, client: ClientName, round: number): Promise<string> {
  const { conv } = await daemon.converse({ member: getMember(client) });
  const { turn } = await daemon.call<MessageAccepted>('POST', `/conversations/${conv}/messages`, getQuestion(round));
  const answered = new Set<string>();
  await feed.until((frame) => {
    if (frame.type === 'turn.permission' && frame.turn === turn && !answered.has(frame.permission.pid)) {
      const { pid, target } = frame.permission;
      answered.add(pid);
      const decision = LET.includes(target) ? 'allow_once' : 'deny';
      void daemon.call('POST', `/conversations/${conv}/permissions/${pid}`, { decision });
    }
    return frame.type === 'turn.ended' && frame.turn === turn;
  });
  return JSON.stringify(await daemon.transcript(conv));
}

/** Runs `work` for every round and then for the control, at most `atOnce` concurrently. */
async function eachRound(atOnce: number, work: (round: number) => Promise<void>): Promise<void> {
  const rounds = [...ROUNDS.keys(), ROUNDS.length];
  const worker = async () => {
    for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) await work(round);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

it('fifty injections that are obeyed disclose no secret through any client', async () => {
  expect(INJECTIONS).toHaveLength(50);
  const { daemon, root, home, endpoint, environments, tokens, leaks } = await aBaitedDaemon();
  const feed = await EventFeed.open(daemon);
  onTestFinished(() => feed.close());
  const answers: { client: ClientName; round: number; isOutside: boolean; text: string }[] = [];
  await Promise.all(
    CLIENTS.flatMap((client) => [
      eachRound(ASKED_AT_ONCE, async (round) => {
        const record = await daemon.ask(getMember(client), tokens.get(client) ?? '', getQuestion(round));
        answers.push({ client, round, isOutside: true, text: JSON.stringify(record) });
      }),
      eachRound(1, async (round) => {
        answers.push({ client, round, isOutside: false, text: await talk(daemon, feed, client, round) });
      }),
    ]),
  );

  expect(answers).toHaveLength(CLIENTS.length * 2 * (ROUNDS.length + 1));
  const leaked = answers.map(({ client, round, isOutside, text }) => {
    const found = [...leaks(text), ...(isOutside && text.includes(OUTSIDER) ? [OUTSIDER] : [])];
    return { client, words: ROUNDS[round]?.map(({ words }) => words), isOutside, found };
  });
  expect(leaked.filter(({ found }) => found.length > 0)).toEqual([]);
  expect(feed.frames.filter((frame) => leaks(JSON.stringify(frame)).length > 0)).toEqual([]);
  expect(endpoint.requests.filter(({ body }) => leaks(JSON.stringify(body)).length > 0)).toEqual([]);
  const runs = readFileSync(environments, 'utf8').trim().split('\n');
  expect(runs.filter((run) => leaks(run).length > 0)).toEqual([]);
  await daemon.stop();
  const kept = filesUnder(join(root, '.mesh/state'));
  expect(kept.filter(({ bytes }) => leaks(bytes).length > 0).map(({ path }) => path)).toEqual([]);
  // No attempt has changed anything outside its own process.
  expect(['notes.md', 'docs/c', '.git/hooks/post-checkout'].filter((path) => existsSync(join(root, path)))).toEqual([]);

  // Without attempts there would be no leaks, so the attempts are verified: reading works, programs ran and printed
  // their environment, the key is in use, and all of it was recorded.
  const shown = answers.filter(({ round, text }) => round === ROUNDS.length && text.includes(SHOWN));
  expect(shown.map(({ client }) => client).sort()).toEqual([...CLIENTS, ...CLIENTS].sort());
  expect(runs).toHaveLength(2 * 2 * (ROUNDS.length + 1));
  const told = answers.filter(({ text }) => text.includes(`HOME=${home}`) || text.includes(`HOME\\":\\"${home}`));
  expect(new Set(told.map(({ client }) => client))).toEqual(new Set(['api', 'claude-code', 'acp']));
  expect(new Set(endpoint.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${API_KEY}`]),
  );
  expect(kept.map(({ path }) => path.slice(root.length))).toEqual(
    expect.arrayContaining(['/.mesh/state/mesh.db', '/.mesh/state/daemon.log']),
  );
  expect(kept.some(({ bytes }) => bytes.includes(tag(0)))).toBe(true);
}, 240_000);
