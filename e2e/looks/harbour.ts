import type { AskAccepted, AskRecord } from '../../daemon/contract/asks.js';
import type { BoardBody, PostBody, PostCreated } from '../../daemon/contract/boards.js';
import type { ClusterBody, ClusterCreated, Props } from '../../daemon/contract/clusters.js';
import type { Conversation, MessageAccepted, MessageList } from '../../daemon/contract/conversations.js';
import type { Registration } from '../../daemon/contract/hub.js';
import type { MemberTests } from '../../daemon/contract/member-tests.js';
import type { Call, Challenge, TransferDone, Wallet } from '../../daemon/contract/payments.js';
import type { SelfRegistrationList } from '../../daemon/contract/self-registration.js';
import type { MemberDetail } from '../../daemon/contract/team.js';
import { sha256Hex } from '../../daemon/lib/digests.js';
import { SigningKey } from '../../daemon/lib/ed25519.js';
import { signMeshSig } from '../../daemon/lib/mesh-sig.js';
import { exposeWaiting } from '../../daemon/testing/agreement.js';
import { expect } from '../fixtures.js';
import type { Step } from '../scripted-agent.js';
import type { FixedDaemon } from './fixed-daemon.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const LISBON = { lat: 38.72, lon: -9.14, label: 'Lisbon, Portugal' };
const PORTO = { lat: 41.15, lon: -8.61, label: 'Porto, Portugal' };
const MADRID = { lat: 40.42, lon: -3.7, label: 'Madrid, Spain' };
const BERGEN = { lat: 60.39, lon: 5.32, label: 'Bergen, Norway' };

/** Builds a member file. The values must need no quotes. */
const member = (keys: Record<string, unknown>, body: string) =>
  `---\n${Object.entries(keys)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)
    .join('')}---\n\n${body}\n`;

/** The files of the sample repository. */
export const HARBOUR_FILES: Readonly<Record<string, string>> = {
  'README.md':
    '# Lamp\n\nLamp switches the harbour lights on at dusk and off at dawn.\n\n## Run it\n\nStart it with `npm start`; it listens on port 8123.\n\n## Settings\n\n`LAMP_ANGLE` is the angle of the sun in degrees below which the lights go on; the default is -6.\n`LAMP_RETRIES` is how often a lamp that does not answer is asked again; the default is 3.\n',
  'docs/lamps.md':
    '# Lamps\n\nEach lamp has a number that is painted on its mast. The sixth stands at the end of the quay and is the only one with a fog horn.\n\n## Wiring\n\nLamps are on one line in groups of four. A group that fails is dark as a whole.\n',
  'src/dusk.ts':
    'export const DUSK_ANGLE_DEGREES = -6;\n\n/** Whether the sun stands low enough for the lights to go on. */\nexport function isDusk(angle: number): boolean {\n  return angle < DUSK_ANGLE_DEGREES;\n}\n',
  'src/retry.ts':
    'const PAUSE_MS = 250;\n\n/** Asks a lamp until it answers, three times at most. */\nexport async function withRetries<T>(ask: () => Promise<T>, times = 3): Promise<T> {\n  for (let left = times; ; left -= 1) {\n    try {\n      return await ask();\n    } catch (error) {\n      if (left <= 1) throw error;\n      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));\n    }\n  }\n}\n',
  'src/server.ts':
    "import { isDusk } from './dusk.js';\n\n/** Port of the lamp's own status page. */\nexport const PORT = 8123;\n\nexport function status(angle: number): string {\n  return isDusk(angle) ? 'on' : 'off';\n}\n",
  '.mesh/team/architect-master.md': member(
    {
      name: 'Architect Master',
      description:
        'Owns the roadmap and the shape of the harbour. Turns goals into small tasks and keeps the reasons on record.',
      kind: 'singleton',
      required: true,
      agent_type: 'roadmap',
      effort: 'high',
      pinned_order: 0,
      tools: ['read', 'search', 'edit', 'todo', 'ask'],
    },
    'You decide what is built, in which order and in what shape. You do not write the lamps’ code.',
  ),
  '.mesh/team/developer.md': member(
    {
      name: 'Developer',
      description:
        'Writes, mends and tests code anywhere in the project. The member for everything that has no specialist.',
      kind: 'profile',
      pinned_order: 10,
      tools: ['read', 'search', 'edit', 'execute', 'web', 'todo', 'ask'],
      limits: { turns: 60, minutes: 30 },
      examples: ['Make the sixth lamp blink.', 'Find out why group two is dark, and mend it with a test.'],
    },
    'You take a task from its words to a change that is finished, checked and easy to review.',
  ),
  '.mesh/team/ui-developer.md': member(
    {
      name: 'UI Developer',
      description: 'Builds the status page so that it is clear and quick, by keyboard and on small displays.',
      kind: 'profile',
      pinned_order: 30,
    },
    'Begin with the person on watch: what did they come to see?',
  ),
  '.mesh/team/deployer.md': member(
    {
      name: 'Deployer',
      description:
        'Brings a checked version to the lamps, step by step, with a way back prepared before the first step is taken.',
      kind: 'profile',
      agent_type: 'deploy',
      model: 'fast',
      pinned_order: 40,
    },
    'Never change all lamps at once.',
  ),
  '.mesh/team/api-developer.md': member(
    {
      name: 'API Developer',
      description: 'Keeps what programs may ask of a lamp small, versioned and hard to misuse.',
      kind: 'profile',
      pinned_order: 20,
    },
    'A route that is served is a promise.',
  ),
  '.mesh/team/ui-reviewer.md': member(
    {
      name: 'UI Reviewer',
      description: 'Looks at the status page as the watch does at night, and says what is in the way.',
      kind: 'profile',
      pinned_order: 50,
    },
    'Look before you judge.',
  ),
  '.mesh/team/commit-pr-reviewer.md': member(
    {
      name: 'Commit PR Reviewer',
      description: 'Reads a change as a stranger would, and finds what breaks.',
      kind: 'profile',
      effort: 'high',
      pinned_order: 60,
    },
    'Say what breaks, where, and how it shows.',
  ),
  '.mesh/team/roadmap-orchestrator.md': member(
    {
      name: 'Roadmap Orchestrator',
      description: 'Hands the tasks of the roadmap to those who do them, and keeps the order.',
      kind: 'singleton',
      agent_type: 'roadmap',
      pinned_order: 5,
    },
    'One task to one member.',
  ),
  '.mesh/team/consultant.md': member(
    {
      name: 'Consultant',
      description:
        'Answers questions about this project from other programs and people, with facts that carry the file and lines they come from.',
      kind: 'profile',
      agent_type: 'docs',
      exposure: 'external',
      pinned_order: 70,
      tools: ['read', 'search'],
      limits: { turns: 20, minutes: 5 },
      examples: [
        'What does this project do, and where does it start?',
        'How is the configuration read, and which settings are there?',
      ],
    },
    'You answer questions about this project. Those who ask are outside it: they rely on every word.\n\n## How you work\n\n1. Find out what is really asked.\n2. Look in the project before you answer, and follow the matter to its end.\n3. Check each statement against the lines it rests on.\n\n## Citations\n\n- Every statement of fact carries its place as `path:start-end`.\n- What the project does not say, you do not know.',
  ),
  '.claude/agents/scribe.md':
    '---\nname: scribe\ndescription: Keeps the log of the harbour, one line for every ship.\ntools: Read, Grep # least\nmodel: inherit\ncolor: blue\nhooks: {}\n---\n\nWrite down what happens.\n',
  '.claude/agents/developer.md': '---\nname: developer\ndescription: Builds lamps.\n---\n\nBuild.\n',
  '.codex/agents/pilot.toml':
    'name = "pilot"\ndescription = "Brings ships in."\nsandbox_mode = "read-only"\ndeveloper_instructions = """\nMind the shoals.\n"""\n',
  '.cursor/agents/stoker.md': '---\nname: [\n---\nFeed the fire.\n',
  '.mesh/roadmap.md':
    '# Roadmap\n\n- [x] ports: Document the status port @consultant\n- [x] angle: Read the angle of the sun from the settings @developer\n- [-] quay: Draw the quay on the status page @ui-developer\n  reason: failed: The drawing of the quay is not in the repository.\n- [ ] horn: Sound the fog horn of the sixth lamp when the visibility falls below half a mile @developer\n- [ ] ship: Release it @deployer\n- [ ] after: Tidy up\n',
  '.mesh/asks/consultant.md':
    '## On which port does it listen?\n\n- cites: README.md:5-7\n- says: 8123\n\n## What is the default of LAMP_ANGLE?\n\n- says: -6\n\n## Which opera did the harbour master write?\n\n- not found\n\n## How many lamps are in a group?\n\n- says: seven\n',
};

/** The ids with which the pages of the sample project are opened. */
export interface Harbour {
  /** A public cluster with boards. */
  exchange: string;
  /** A private cluster that the operator has saved. */
  crew: string;
  post: string;
  /** An answered request, a failed one and a running one. */
  answered: string;
  failed: string;
  working: string;
  /** A conversation with tool calls and a table, and one that waits for a permission. */
  talked: string;
  asking: string;
  /** The exposed member as an agent. */
  agent: string;
  /** Connects other participants to the Wall and lets them talk. Resolves with a function that disconnects them. */
  speak(): Promise<() => void>;
}

/** Fills a daemon with three days of sample data through its API. */
export async function fillHarbour(daemon: FixedDaemon): Promise<Harbour> {
  const { agent, api } = { agent: daemon.agent, api: daemon.api.bind(daemon) as FixedDaemon['api'] };
  const token = async (member: string) => (await api<MemberDetail>('GET', `/team/${member}`)).token ?? '';
  const caller = async (member: string, program: string) => ({
    authorization: `Bearer ${await token(member)}`,
    'user-agent': program,
  });
  const until = async <T>(read: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> => {
    let value: T | undefined;
    await expect
      .poll(
        async () => {
          value = await read();
          return isIt(value);
        },
        { intervals: [20, 50, 100], timeout: 30_000 },
      )
      .toBe(true);
    return value as T;
  };

  // Asks of programs: each runs for the given time and is collected once.
  let asked = 0;
  const begin = async (member: string, text: string, program: string, ...steps: Step[]) => {
    asked += 1;
    const name = `ask-${asked}`;
    agent.playsTo(
      text,
      { tool: { name: 'Grep', input: { pattern: text.split(' ').at(-1) }, output: '' } },
      agent.gate(name),
      ...steps,
    );
    const headers = await caller(member, program);
    const { request_id, poll } = await api<AskAccepted>('POST', `/team/${member}/ask`, { text }, headers);
    const read = () => api<AskRecord>('GET', `/requests/${request_id}`);
    await until(read, ({ status }) => status === 'running');
    return { request_id, poll, headers, read, open: () => agent.open(name) };
  };
  const ask = async (member: string, text: string, program: string, ms: number, ...steps: Step[]) => {
    const { request_id, poll, headers, read, open } = await begin(member, text, program, ...steps);
    await daemon.pass(ms);
    open();
    await until(read, ({ status }) => status === 'done' || status === 'error');
    await daemon.pass(2 * SECOND);
    await api<AskRecord>('GET', poll, undefined, headers);
    return request_id;
  };

  // Conversations of the operator.
  const converse = (member: string) => api<Conversation>('POST', '/conversations', { member });
  const say = async (conv: string, text: string, ms: number, ...steps: Step[]) => {
    asked += 1;
    const name = `say-${asked}`;
    const [first = {}, ...rest] = steps;
    agent.playsTo(text, first, agent.gate(name), ...rest);
    await api<MessageAccepted>('POST', `/conversations/${conv}/messages`, { text });
    const read = () => api<Conversation>('GET', `/conversations/${conv}`);
    // Waits until the first step has reached the daemon, so that the following duration is exact.
    await until(read, ({ messages, running }) => running !== null && messages > 0);
    await daemon.pass(ms);
    agent.open(name);
    await until(read, ({ running, permissions }) => running === null || permissions.length > 0);
  };
  /** Marks a conversation as read, so that the pictures do not depend on which page is opened first. */
  const look = async (conv: string) => {
    const { messages } = await api<MessageList>('GET', `/conversations/${conv}/messages`);
    await api('PATCH', `/conversations/${conv}`, { read: messages.at(-1)?.id });
  };
  const settle = async (member: string) => {
    await until(
      () => api<SelfRegistrationList>('GET', '/registrations'),
      ({ registrations }) => registrations.find((one) => one.member === member)?.surfaces.v1?.registered === true,
    );
  };

  // Wednesday morning: the team, a price, agents of other programs, two clusters.
  await exposeWaiting(api);
  await settle('consultant');
  await api('PATCH', '/preferences', { first_run_dismissed: ['ask', 'bring', 'program'] });
  const wallet = await api<Wallet>('POST', '/wallets', { name: 'till' });
  await api('POST', '/wallets/main/fund', { lamports: 2_000_000_000 });
  await daemon.pass(3 * MINUTE);
  daemon.write(
    '.mesh/team/night-watch.md',
    '---\nname: Night watch\ndescription: Counts the lamps: every hour.\nkind: [profile\n---\n\nCount.\n',
  );
  await api('POST', '/imports', { items: [{ source: '.claude/agents/scribe.md' }] });
  for (const member of ['developer', 'deployer']) {
    await api('PATCH', `/team/${member}`, { exposure: 'external' });
    await settle(member);
  }
  const agents: Registration[] = [];
  for (const [agent_id, capabilities, agent_card] of AGENTS) {
    agents.push(await api<Registration>('POST', '/agents/register', { agent_id, capabilities, agent_card }));
    await api('POST', '/v1/agents/register', { agent_id, capabilities, agent_card });
    await daemon.pass(MINUTE);
  }

  const exchange = await savedCluster(
    daemon,
    {
      name: 'Iberian exchange',
      visibility: 'public',
      topic: '#iberia',
      description: 'What harbours of the peninsula give, look for and plan together.',
    },
    { where: LISBON, lang: 'en' },
  );
  await daemon.pass(MINUTE);
  const crew = await savedCluster(daemon, {
    name: 'Harbour crew',
    visibility: 'private',
    topic: 'the night shift',
    description: 'Who is on watch, and who brings coffee.',
  });
  for (const board of BOARDS) await exchange.board(board);
  await crew.board({ slug: 'watches', name: 'Watches', kind: 'events', about: 'Who stands when.' });
  let post = '';
  for (const [board, author, body] of POSTS) {
    await daemon.pass(47 * MINUTE);
    const { id } = await exchange.post(board, author, body);
    if (body.title.startsWith('Brass')) post = id;
  }
  await crew.post('watches', 'bela', { title: 'First watch', body: '2026-11-22 20:00, the east mole.', ttl: '30d' });

  // Thursday: asks and conversations.
  await daemon.pass(15 * HOUR);
  const answered = await ask(
    'consultant',
    'Where is the retry of a lamp that does not answer?',
    'harbour-clock/2.1',
    4_200,
    {
      text: 'In `withRetries` of src/retry.ts:4-13: it asks three times at most.\n\n- The pause between two asks is 250 ms, src/retry.ts:1-1.\n- How often can be set with `LAMP_RETRIES`, README.md:12-12.\n- What fails the third time is thrown on, src/retry.ts:9-9.',
    },
  );
  await daemon.pass(24 * MINUTE);
  await ask('consultant', 'What is the port of the status page?', 'quay-bot/0.4', 2_650, {
    text: 'It is 8123: src/server.ts:4-4 and README.md:7-7.',
  });
  await daemon.pass(2 * HOUR);
  const failed = await ask('developer', 'Make the sixth lamp blink', 'harbour-clock/2.1', 11_400, {
    error: 'The model did not answer for ten seconds.',
  });
  await daemon.pass(31 * MINUTE);
  const talk = await converse('developer');
  await say(
    talk.conv,
    'When do the lights go on, and who decides it?',
    8_300,
    { tool: { name: 'Read', input: { file_path: 'src/dusk.ts' }, output: 'export const DUSK_ANGLE_DEGREES = -6;' } },
    { tool: { name: 'Grep', input: { pattern: 'isDusk' }, output: 'src/server.ts:1\nsrc/server.ts:7' } },
    { tool: { name: 'Bash', input: { command: 'npm test' }, output: '1 failed', failed: true } },
    {
      text: '## At dusk\n\nThe angle of the sun decides, in `src/dusk.ts`:\n\n```ts\nexport const DUSK_ANGLE_DEGREES = -6;\n```\n\n| setting | default | where |\n|---|---|---|\n| `LAMP_ANGLE` | **-6** | README.md:11-11 |\n| `LAMP_RETRIES` | 3 | README.md:12-12 |\n\nNothing else does: `status` asks `isDusk` each time it is called, src/server.ts:6-8.',
    },
  );
  await daemon.pass(4 * MINUTE);
  await say(
    talk.conv,
    'Then let them come on a little earlier in winter.',
    21_000,
    { tool: { name: 'Edit', input: { file_path: 'src/dusk.ts' }, output: 'edited' } },
    {
      text: 'From November to February the lights now go on at -4.5 degrees. I changed one line and added a test for both seasons.',
    },
  );
  await api('PATCH', `/conversations/${talk.conv}`, { pinned: true });
  await look(talk.conv);
  await daemon.pass(3 * HOUR);
  const plan = await converse('architect-master');
  await say(
    plan.conv,
    'How would a second harbour fit in?',
    14_000,
    { text: 'Beside the first, not inside it.' },
    { text: ' One daemon for each, and a room for both: src/server.ts:4-4 is the only place that knows a port.' },
  );
  await daemon.pass(20 * MINUTE);
  const told = await converse('ui-developer');
  await say(
    told.conv,
    'Show the fog horn on the status page.',
    6_000,
    { text: 'It' },
    { error: 'The drawing is missing.' },
  );

  // Friday: payments and reputation reports.
  await daemon.pass(14 * HOUR);
  await api('PATCH', '/team/consultant', {
    pricing: [{ unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' }],
    payment: { modes: ['x402', 'deposit'], wallet: wallet.address },
  });
  const sell = (headers: Record<string, string>, status: number) =>
    api<Challenge>(
      'POST',
      '/team/consultant/v1/ask',
      { text: 'What is the default of LAMP_ANGLE?' },
      { 'user-agent': 'painter/1.0', ...headers },
      status,
    );
  agent.playsTo('What is the default of LAMP_ANGLE?', { text: 'It is -6: README.md:11-11.' });
  const challenge = await sell({}, 402);
  await daemon.pass(9 * SECOND);
  const { signature } = await api<TransferDone>('POST', '/wallets/main/pay', {
    to: challenge.accepts[0]?.address,
    lamports: challenge.accepts[0]?.amount,
    memo: challenge.nonce,
  });
  await daemon.pass(2 * SECOND);
  await sell({ 'x-payment-proof': signature, 'x-payment-nonce': challenge.nonce }, 200);
  await daemon.pass(2 * HOUR);
  await sell({}, 402);
  const call = (text: string) =>
    api<Call>('POST', '/calls', { agent: 'lamp-consultant', skill: 'ask', input: { text }, mode: 'x402' });
  agent.playsTo('How many lamps are in a group?', { text: 'Four: docs/lamps.md:7-7.' });
  const bought = await call('How many lamps are in a group?');
  await daemon.pass(40 * SECOND);
  await api('POST', `/ledger/approvals/${bought.call_id}`, { decision: 'allow' });
  await until(
    () => api<Call>('GET', `/calls/${bought.call_id}`),
    ({ state }) => state === 'done',
  );
  for (const [who, dims] of REPORTS) {
    await daemon.pass(3 * HOUR);
    const path = '/v1/agents/painter/feedback';
    const body = { dims };
    const signed = signMeshSig(
      new SigningKey(Buffer.from(sha256Hex(who), 'hex')),
      { method: 'POST', path, body: JSON.stringify(body) },
      daemon.nowMs,
    );
    await api('POST', path, body, { 'mesh-sig': signed });
  }

  // Saturday: what is running while the pictures are taken.
  await daemon.pass(26 * HOUR + 51 * MINUTE);
  await api('PATCH', '/team/consultant', { client: 'builtin' });
  await api<MemberTests>('POST', '/team/consultant/tests/run', {});
  await until(
    () => api<MemberTests>('GET', '/team/consultant/tests'),
    ({ running }) => !running,
  );
  daemon.write('.claude/agents/scribe.md', `${HARBOUR_FILES['.claude/agents/scribe.md']}Leave nothing out.\n`);
  const headers = await caller('consultant', 'curl/8.14.1');
  const plain = await api<AskAccepted>('POST', '/team/consultant/ask', { text: 'Which lamp has a fog horn?' }, headers);
  await until(
    () => api<AskRecord>('GET', `/requests/${plain.request_id}`),
    ({ status }) => status === 'done',
  );
  await daemon.pass(26 * MINUTE);
  for (const { agent_id, api_key } of agents.slice(0, 3)) await api('POST', '/agents/token', { agent_id, api_key });
  await call('Is there a limit on the number of lamps?');
  await daemon.pass(48 * SECOND);
  const asking = await converse('developer');
  await say(
    asking.conv,
    'Put the tests in order before the release.',
    12_000,
    { tool: { name: 'Read', input: { file_path: 'src/retry.ts' }, output: 'const PAUSE_MS = 250;' } },
    { text: 'I would run them once, then mend what fails.' },
    {
      permission: {
        name: 'Bash',
        input: { command: 'npm ci && npm test' },
        reason: 'The tests must run before I can say what is broken.',
      },
    },
  );
  const eclipse = await begin('developer', 'How would the lights know of an eclipse?', 'harbour-clock/2.1', {
    text: 'They would not.',
  });
  await daemon.pass(23 * SECOND);

  const speak = async () => {
    const bela = await daemon.join(exchange.id, 'bela');
    const joao = await daemon.join(exchange.id, 'joão');
    const rita = await daemon.join(exchange.id, 'rita', { vis: 'private' });
    // Each message is received before the next one is sent.
    const received: unknown[] = [];
    rita.on('message', (frame) => String(frame).includes('"payload"') && received.push(frame));
    bela.send(JSON.stringify({ payload: 'Good afternoon. The flea market has a new lamp.' }));
    await until(
      async () => received.length,
      (length) => length === 1,
    );
    joao.send(JSON.stringify({ payload: { text: 'Does it still burn **oil**? See `docs/lamps.md`.' } }));
    joao.send(JSON.stringify({ payload: { type: 'offer', item: 'wick', price: 3 } }));
    await until(
      async () => received.length,
      (length) => length === 3,
    );
    bela.send(JSON.stringify({ to: ['operator', 'ada'], payload: 'Only for you: it does.' }));
    return () => {
      for (const guest of [bela, joao, rita]) guest.close();
    };
  };
  return {
    exchange: exchange.id,
    crew: crew.id,
    post,
    answered,
    failed,
    working: eclipse.request_id,
    talked: talk.conv,
    asking: asking.conv,
    agent: 'lamp-consultant',
    speak,
  };
}

/** Creates a cluster with boards that the operator saves with both tokens. */
async function savedCluster(daemon: FixedDaemon, cluster: ClusterBody, props?: Props) {
  const made = await daemon.api<ClusterCreated>('POST', '/v1/clusters', cluster);
  const { cluster_id: id, token, admin_token } = made;
  const asAdmin = { 'x-cluster-token': admin_token ?? '' };
  await daemon.api('PATCH', `/v1/clusters/${id}`, { boards_enabled: true, ...(props && { props }) }, asAdmin);
  await daemon.api('POST', '/rooms', { cluster_id: id, token, admin_token, handle: 'ada' });
  return {
    id,
    board: (body: BoardBody) => daemon.api('POST', `/v1/clusters/${id}/boards`, body, asAdmin),
    post: (board: string, author: string, body: PostBody) =>
      daemon.api<PostCreated>(
        'POST',
        `/v1/clusters/${id}/boards/${board}/posts?agent=${encodeURIComponent(author)}`,
        body,
        {
          'x-cluster-token': token ?? '',
        },
      ),
  };
}

const BOARDS: readonly BoardBody[] = [
  {
    slug: 'flea-market',
    name: 'Flea market',
    kind: 'buysell',
    about: 'Things that work, and things that could. Say what it costs and where it stands; nothing is sent by post.',
  },
  {
    slug: 'harbour-days',
    name: 'Harbour days',
    kind: 'events',
    about: 'What takes place on the quays. Begin with the day.',
  },
  {
    slug: 'notes',
    name: 'Notes',
    kind: 'generic',
    about: 'What one harbour found out and another may need.',
    props: { where: 'none' },
  },
];

const POSTS: readonly (readonly [board: string, author: string, body: PostBody])[] = [
  [
    'flea-market',
    'bela',
    {
      title: 'Brass lamp, works with oil',
      body: 'From the **third** mast of the old mole, cleaned and with a new wick.\n\n- 40 cm high, 6 kg\n- burns nine hours on one filling\n\n€ 120, or a fog horn in return.',
      ttl: '30d',
      props: { where: LISBON, lang: 'en' },
      file: { url: 'https://harbour.example/lamp.jpg', mime: 'image/jpeg' },
    },
  ],
  [
    'flea-market',
    'joão',
    {
      title: 'Corda de amarração, 40 metros',
      body: 'Usada um inverno. 30 €.',
      ttl: '7d',
      props: { where: PORTO, lang: 'pt' },
    },
  ],
  [
    'flea-market',
    'rita',
    {
      title: 'Wanted: glass for a signal lantern, green, 18 cm',
      body: 'A chip at the edge does not matter.',
      ttl: '1y',
      props: { where: MADRID },
    },
  ],
  [
    'harbour-days',
    'ada',
    {
      title: 'Lamps are lit together, 2026-12-05 17:10',
      body: 'At dusk on the quay. Bring a flask.',
      ttl: '30d',
      props: { where: LISBON },
    },
  ],
  [
    'harbour-days',
    'joão',
    {
      title: 'Regata de inverno, 2026-12-12',
      body: 'Partida às 9 horas.',
      ttl: '30d',
      props: { where: PORTO, lang: 'pt' },
    },
  ],
  [
    'harbour-days',
    'eva',
    {
      title: 'Knots for beginners, 2026-12-05 10:00',
      body: 'In the sail loft, two hours.',
      ttl: '30d',
      props: { where: BERGEN },
    },
  ],
  [
    'notes',
    'eva',
    { title: 'Salt creeps along the cable, not along the mast', body: 'Two winters of notes.', ttl: 'forever' },
  ],
];

const AGENTS = [
  [
    'painter',
    ['paint'],
    {
      endpoint: 'https://painter.example/',
      description: 'Paints a picture of any harbour, in oil or ink.',
      tags: ['image', 'art', 'geo:NO'],
      category: 'media.image',
      accepts: ['text/plain'],
      produces: ['image/png'],
      protocols: ['http', 'a2a'],
      pricing: { unit: 'image', amount: 120_000, currency: 'lamports', network: 'solana:local' },
    },
  ],
  [
    'sketcher',
    ['sketch'],
    {
      endpoint: 'https://sketcher.example/',
      description: 'Sketches a picture of a harbour for nothing.',
      tags: ['image', 'geo:PT'],
      category: 'media.sketch',
      accepts: ['application/json'],
      produces: ['image/svg+xml'],
      protocols: ['mcp'],
      pricing: { unit: 'image', amount: 0, currency: 'free' },
    },
  ],
  [
    'tide-table',
    ['tides'],
    {
      endpoint: 'https://tides.example/',
      description: 'Says when the water is high, for every harbour with a gauge.',
      tags: ['sea', 'geo:PT'],
      category: 'data.sea',
      accepts: ['application/json'],
      produces: ['application/json'],
      protocols: ['http', 'mcp'],
      pricing: { unit: 'request', amount: 0.02, currency: 'USD' },
    },
  ],
  [
    'engraver',
    [],
    {
      endpoint: 'https://engraver.example/',
      description: 'Engraves a picture of a harbour on copper.',
      tags: ['image'],
      protocols: ['http'],
      pricing: { unit: 'plate', amount: 900_000, currency: 'lamports', network: 'solana:local' },
    },
  ],
] as const;

const REPORTS = [
  ['a lighthouse', { reliability: 1, quality: 0.8 }],
  ['a pilot', { reliability: 1, quality: 0.9 }],
  ['a customs house', { reliability: 0, quality: 0.4 }],
] as const;
