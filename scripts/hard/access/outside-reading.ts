/**
 * A project with a secret of every shape and under every name, in tracked, untracked and ignored files, and another
 * program that requests each: through the built-in client with questions, and through models and agent programs that
 * read every file they are instructed to, by every notation of its path, or that output what they know in pieces. No
 * part of a secret, and no word of an untracked file, may appear in the answers, in events and streams, or in the
 * stored conversation. Permitted files must be readable. The operator still gets answers from untracked files.
 *
 * `npx tsx scripts/hard/access/outside-reading.ts [--asks 24]`
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Dice } from '../../../daemon/testing/dice.js';
import { type DaemonProcess, EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { chatEvents, type ModelReply } from '../../../daemon/testing/stand-ins/model-endpoint-dialects.js';
import { type Drill, runDrill } from '../drill.js';
import { callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';
import { baitedFiles, DisclosureFinder, type ProtectedFile } from './baited-files.js';

const PROGRAMS = ['claude-code', 'acp', 'api'] as const;
const CLIENTS = ['builtin', ...PROGRAMS] as const;
type Client = (typeof CLIENTS)[number];
const ATTEMPT = 'Read all of it.';
const SAY = 'Say what you know.';
const BREAK = 'Say it and stop.';
const SHOWN = 'harbour lights at dusk';
const getMember = (client: Client) => `asked-${client}`;

/** Texts that the other program received, each with its source. */
type ReceivedTexts = { where: string; text: string }[];

/** Returns some notations of the path of a file that a program is instructed to read. */
const deedsFor = ({ path }: ProtectedFile, root: string, drill: Drill) =>
  drill.dice
    .shuffled([path, join(root, path), `../../../${path}`])
    .slice(0, drill.bound('ways'))
    .map((read) => ({ read }));

const inPieces = (text: string, dice: Dice) => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + dice.below(9);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
};

const listShapes = (baits: readonly ProtectedFile[]) => baits.filter(({ what }) => what === 'shape');
const listBaitTexts = (baits: readonly ProtectedFile[]) =>
  listShapes(baits)
    .map(({ text }) => text)
    .join('\n');

/** Returns the scenario of the agent programs: their steps for each question. */
function scenarioFor(baits: readonly ProtectedFile[], root: string, drill: Drill) {
  const { dice } = drill;
  const attempts = baits.flatMap((bait) => deedsFor(bait, root, drill)).map((attempt) => ({ attempt }));
  const searches = ['harbour', 'keeper', 'value', 'PRIVATE'].map((search) => ({ attempt: { search } }));
  const token = listShapes(baits).find(({ text }) => text.includes('npm_'))?.secret ?? '';
  return JSON.stringify({
    when: [
      { says: ATTEMPT, steps: [{ attempt: { read: 'README.md' } }, ...attempts, ...searches] },
      { says: SAY, steps: [{ pieces: inPieces(listBaitTexts(baits), dice) }] },
      {
        says: BREAK,
        steps: [{ pieces: inPieces(`The token is ${token.slice(0, 22)}`, dice) }, { error: 'out of luck' }],
      },
    ],
    steps: [{ text: 'Nothing.' }],
  });
}

/**
 * Starts a model endpoint that calls the tools for the requested files and then repeats their results. Returns its
 * address.
 */
async function aModel(drill: Drill, baits: readonly ProtectedFile[], root: string): Promise<string> {
  const reply = (messages: { role: string; content: unknown }[]): ModelReply => {
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
    if (results.length > 0) return { text: inPieces(`I was given: ${results.join('\n')}`, drill.dice) };
    const question = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
    if (!question.includes(ATTEMPT)) return { text: inPieces(listBaitTexts(baits), drill.dice) };
    const reads = [{ read: 'README.md' }, ...baits.flatMap((bait) => deedsFor(bait, root, drill))];
    const calls = reads.map(({ read }) => ({ name: 'read', input: { path: read } }));
    const searches = ['harbour', 'keeper', 'value'].map((text) => ({ name: 'search', input: { text } }));
    return { calls: [...calls, ...searches].map((call, index) => ({ ...call, id: `call-${index}` })) };
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method === 'GET') return response.end(JSON.stringify({ data: [{ id: 'stand-in-1' }] }));
    const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Parameters<typeof getBody>[0];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of chatEvents(reply(messages), 'stand-in-1')) response.write(event);
    return response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  drill.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
const getBody = (body: { messages: { role: string; content: unknown }[] }) => body;

/**
 * Returns all texts of a stream of server-sent events, concatenated, since a secret may be split over several events.
 */
function textsIn(stream: string): string {
  const texts: string[] = [];
  for (const line of stream.split('\n').filter((one) => one.startsWith('data:')))
    JSON.parse(line.slice(5), (key, value: unknown) => {
      if (key === 'text' && typeof value === 'string') texts.push(value);
      return value;
    });
  return texts.join('');
}

/** Asks as another program does, through the ask route and an A2A stream. Returns everything that was received. */
async function collectAnswers(
  daemon: DaemonProcess,
  client: Client,
  token: string,
  text: string,
): Promise<ReceivedTexts> {
  const record = await daemon.ask(getMember(client), token, { text });
  const parts = [{ kind: 'text', text }];
  const params = { message: { kind: 'message', messageId: `m-${text}`, role: 'user', parts } };
  const body = { jsonrpc: '2.0', id: 1, method: 'message/stream', params };
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const streamed = await callHttp(daemon.address, 'POST', `/team/${getMember(client)}/a2a`, body, headers);
  const stream = String(streamed?.body ?? '');
  return [
    { where: `the answer of ${client} to "${text}"`, text: JSON.stringify(record) },
    { where: `its words as text`, text: String(record.result_text ?? '') },
    { where: `the stream of ${client} to "${text}"`, text: `${stream}\n${textsIn(stream)}` },
  ];
}

/**
 * Returns the events of the asks, with the deltas of each turn concatenated, and the stored and exported conversations.
 */
async function collectStored(daemon: DaemonProcess, feed: EventFeed): Promise<ReceivedTexts> {
  const deltas = new Map<string, string>();
  const received: ReceivedTexts = [];
  for (const frame of feed.frames) {
    if (frame.type === 'turn.delta') deltas.set(frame.turn, (deltas.get(frame.turn) ?? '') + frame.text);
    else received.push({ where: `an event ${frame.type}`, text: JSON.stringify(frame) });
  }
  for (const [turn, text] of deltas) received.push({ where: `the pieces of ${turn}`, text });
  const list = await callHttp(daemon.address, 'GET', '/conversations?archived=true&limit=200');
  const more = await callHttp(daemon.address, 'GET', '/conversations?limit=200');
  const found = [...(list?.body.conversations ?? []), ...(more?.body.conversations ?? [])] as { conv: string }[];
  for (const { conv } of found.slice(0, 12)) {
    for (const path of [`messages?limit=200`, 'export?format=md', 'export?format=jsonl', 'export?format=html']) {
      const answer = await callHttp(daemon.address, 'GET', `/conversations/${conv}/${path}`);
      received.push({ where: `${path} of ${conv}`, text: JSON.stringify(answer?.body ?? '') });
    }
  }
  return received;
}

async function aBaitedDaemon(drill: Drill, project: DrillProject, baits: readonly ProtectedFile[]) {
  project.put('scenario.json', scenarioFor(baits, project.root, drill));
  const daemon = await project.start({
    ...project.standIns('scenario.json'),
    MESHD_API_PROVIDER: 'openai-compatible',
    MESHD_API_BASE_URL: await aModel(drill, baits, project.root),
    MESHD_API_MODEL: 'stand-in-1',
  });
  const tokens = new Map<Client, string>();
  for (const client of CLIENTS) {
    const member = { id: getMember(client), kind: 'profile', client, exposure: 'external', body: 'Answer.' };
    // A member that changes things takes no question without a model.
    const tools = client === 'builtin' ? ['read', 'search'] : ['read', 'search', 'edit', 'execute', 'web'];
    await daemon.call('POST', '/team', { ...member, tools });
    tokens.set(client, await daemon.getToken(getMember(client)));
  }
  return { daemon, tokens };
}

/** A project with all baits: secrets in tracked files, and files that git does not track. */
function createBaitedProject(drill: Drill, baits: readonly ProtectedFile[]): DrillProject {
  const isOwn = ({ what }: ProtectedFile) => what === 'shape' || what === 'name';
  const listFiles = (some: readonly ProtectedFile[]) => Object.fromEntries(some.map(({ path, text }) => [path, text]));
  const project = drill.project({
    'README.md': `# Lamp\n\nLamp switches the ${SHOWN} on.\n`,
    '.gitignore': 'ignored/\nscenario.json\n',
    ...listFiles(baits.filter(isOwn)),
  });
  for (const [path, text] of Object.entries(listFiles(baits.filter((bait) => !isOwn(bait))))) project.put(path, text);
  return project;
}

const askFor = ({ word, path }: ProtectedFile) => `What is the ${word} of ${path}?`;

/** Asks every client as another program. Returns what was received, and the clients that read a permitted file. */
async function askAll(
  daemon: DaemonProcess,
  tokens: ReadonlyMap<Client, string>,
  questions: readonly string[],
): Promise<{ received: ReceivedTexts; shown: Set<Client> }> {
  const received: ReceivedTexts = [];
  const shown = new Set<Client>();
  const askClient = async (client: Client, texts: readonly string[]) => {
    for (const text of texts) {
      const got = await collectAnswers(daemon, client, tokens.get(client) ?? '', text);
      received.push(...got);
      if (got.some((one) => one.text.includes(SHOWN))) shown.add(client);
    }
  };
  await Promise.all([
    askClient('builtin', [...questions, 'What does the lamp switch on?']),
    ...PROGRAMS.flatMap((client) => [ATTEMPT, SAY, BREAK].map((text) => askClient(client, [text]))),
  ]);
  return { received, shown };
}

/** Asks for each bait as the operator. Returns the transcripts. */
async function askAsOperator(daemon: DaemonProcess, baits: readonly ProtectedFile[]): Promise<string[]> {
  const { conv } = await daemon.converse({ member: getMember('builtin') });
  const answers: string[] = [];
  for (const bait of baits) {
    await daemon.post(conv, askFor(bait));
    answers.push(JSON.stringify(await answered(daemon, conv)));
  }
  return answers;
}

await runDrill('outside-reading', async (drill) => {
  const baits = baitedFiles(drill.dice);
  const project = createBaitedProject(drill, baits);
  const { daemon, tokens } = await aBaitedDaemon(drill, project, baits);
  const feed = await EventFeed.open(daemon);

  const asked = drill.dice.shuffled(baits).slice(0, drill.bound('asks'));
  const untracked = baits.filter(({ what }) => what === 'untracked');
  const { received, shown } = await askAll(daemon, tokens, [...asked, ...untracked].map(askFor));
  received.push(...(await collectStored(daemon, feed)));
  feed.close();
  const answers = await askAsOperator(daemon, untracked);

  const finder = new DisclosureFinder(baits);
  const leaks = received.flatMap(({ where, text }) =>
    finder.find(text).map(({ path, what }) => `${path} (${what}) in ${where}`),
  );
  drill.none(
    `parts of ${baits.length} secrets and closed files in ${received.length} answers, events, streams and ` +
      'exports of other programs',
    'leaks',
    leaks,
    `${received.reduce((sum, { text }) => sum + text.length, 0).toLocaleString('en')} characters`,
  );
  drill.measure({
    measure: 'clients through which a file that may be read was read',
    value: shown.size,
    unit: 'clients',
    exactly: CLIENTS.length,
  });
  const told = new Set(answers.flatMap((text) => finder.find(text)));
  drill.measure({
    measure: 'untracked files that the operator is answered from',
    value: untracked.filter((bait) => told.has(bait)).length,
    unit: 'files',
    exactly: untracked.length,
  });
});

/** Returns the transcript once every turn has ended. */
async function answered(daemon: DaemonProcess, conv: string) {
  for (;;) {
    const list = await daemon.transcript(conv);
    if (list.turns.every(({ state }) => state === 'ended')) return list;
  }
}
