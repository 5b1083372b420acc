import type { AskAccepted, AskRecord } from '../../daemon/contract/asks.js';
import type { MemberTests } from '../../daemon/contract/member-tests.js';
import type { SelfRegistrationList } from '../../daemon/contract/network/self-registration.js';
import type { Wallet } from '../../daemon/contract/payments.js';
import { exposeWaiting } from '../../daemon/testing/apps/agreement.js';
import type { FixedDaemon } from './fixed-daemon.js';
import { buyAnswer, registerAgents, reportOnPainter, sellAnswer } from './harbour-agents.js';
import { foundClusters, talkOnWall } from './harbour-clusters.js';
import { HARBOUR_FILES } from './harbour-files.js';
import { HarbourTraffic, HOUR, MINUTE, SECOND, until } from './harbour-traffic.js';

export { HARBOUR_FILES };

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
  const traffic = new HarbourTraffic(daemon);
  // Wednesday morning: the team, a price, agents of other programs, two clusters.
  const wallet = await setUpTeam(daemon);
  const agents = await registerAgents(daemon);
  const { exchange, crew, post } = await foundClusters(daemon);

  // Thursday: asks and conversations.
  await daemon.pass(15 * HOUR);
  const { answered, failed } = await askAsPrograms(traffic);
  await daemon.pass(31 * MINUTE);
  const talked = await holdConversations(traffic);

  // Friday: payments and reputation reports.
  await daemon.pass(14 * HOUR);
  await sellAnswer(daemon, wallet.address);
  await buyAnswer(traffic);
  await reportOnPainter(daemon);

  // Saturday: what is running while the pictures are taken.
  await daemon.pass(26 * HOUR + 51 * MINUTE);
  await runMemberTests(daemon);
  daemon.write('.claude/agents/scribe.md', `${HARBOUR_FILES['.claude/agents/scribe.md']}Leave nothing out.\n`);
  await askBuiltinClient(traffic);
  await daemon.pass(26 * MINUTE);
  for (const { agent_id, api_key } of agents.slice(0, 3))
    await daemon.api('POST', '/agents/token', { agent_id, api_key });
  await traffic.call('Is there a limit on the number of lamps?');
  await daemon.pass(48 * SECOND);
  const { asking, working } = await leaveAtWork(traffic);
  await daemon.pass(23 * SECOND);

  return {
    exchange,
    crew,
    post,
    answered,
    failed,
    working,
    talked,
    asking,
    agent: 'lamp-consultant',
    speak: () => talkOnWall(daemon, exchange),
  };
}

/** Exposes members, fills the wallets, imports a member and leaves one that is invalid. Returns the second wallet. */
async function setUpTeam(daemon: FixedDaemon): Promise<Wallet> {
  const settle = (member: string) =>
    until(
      () => daemon.api<SelfRegistrationList>('GET', '/registrations'),
      ({ registrations }) => registrations.find((one) => one.member === member)?.surfaces.v1?.registered === true,
    );
  await exposeWaiting((method, path) => daemon.api(method, path));
  await settle('consultant');
  await daemon.api('PATCH', '/preferences', { first_run_dismissed: ['ask', 'bring', 'program'] });
  const wallet = await daemon.api<Wallet>('POST', '/wallets', { name: 'till' });
  await daemon.api('POST', '/wallets/main/fund', { lamports: 2_000_000_000 });
  await daemon.pass(3 * MINUTE);
  daemon.write(
    '.mesh/team/night-watch.md',
    '---\nname: Night watch\ndescription: Counts the lamps: every hour.\nkind: [profile\n---\n\nCount.\n',
  );
  await daemon.api('POST', '/imports', { items: [{ source: '.claude/agents/scribe.md' }] });
  for (const member of ['developer', 'deployer']) {
    await daemon.api('PATCH', `/team/${member}`, { exposure: 'external' });
    await settle(member);
  }
  return wallet;
}

/** Asks of programs: two answered ones and one that fails. Returns the ids of the first and of the failed one. */
async function askAsPrograms(traffic: HarbourTraffic): Promise<{ answered: string; failed: string }> {
  const { daemon } = traffic;
  const answered = await traffic.ask(
    'consultant',
    'Where is the retry of a lamp that does not answer?',
    'harbour-clock/2.1',
    4_200,
    {
      text:
        'In `withRetries` of src/retry.ts:4-13: it asks three times at most.\n\n- The pause between two asks is ' +
        '250 ms, src/retry.ts:1-1.\n- How often can be set with `LAMP_RETRIES`, README.md:12-12.\n- What fails ' +
        'the third time is thrown on, src/retry.ts:9-9.',
    },
  );
  await daemon.pass(24 * MINUTE);
  await traffic.ask('consultant', 'What is the port of the status page?', 'quay-bot/0.4', 2_650, {
    text: 'It is 8123: src/server.ts:4-4 and README.md:7-7.',
  });
  await daemon.pass(2 * HOUR);
  const failed = await traffic.ask('developer', 'Make the sixth lamp blink', 'harbour-clock/2.1', 11_400, {
    error: 'The model did not answer for ten seconds.',
  });
  return { answered, failed };
}

/** Conversations of the operator. Returns the one with tool calls and a table. */
async function holdConversations(traffic: HarbourTraffic): Promise<string> {
  const { daemon } = traffic;
  const talk = await traffic.converse('developer');
  await traffic.say(
    talk,
    'When do the lights go on, and who decides it?',
    8_300,
    { tool: { name: 'Read', input: { file_path: 'src/dusk.ts' }, output: 'export const DUSK_ANGLE_DEGREES = -6;' } },
    { tool: { name: 'Grep', input: { pattern: 'isDusk' }, output: 'src/server.ts:1\nsrc/server.ts:7' } },
    { tool: { name: 'Bash', input: { command: 'npm test' }, output: '1 failed', failed: true } },
    {
      text:
        '## At dusk\n\nThe angle of the sun decides, in `src/dusk.ts`:\n\n```ts\nexport const DUSK_ANGLE_DEGREES ' +
        '= -6;\n```\n\n| setting | default | where |\n|---|---|---|\n| `LAMP_ANGLE` | **-6** | README.md:11-11 ' +
        '|\n| `LAMP_RETRIES` | 3 | README.md:12-12 |\n\nNothing else does: `status` asks `isDusk` each time it ' +
        'is called, src/server.ts:6-8.',
    },
  );
  await daemon.pass(4 * MINUTE);
  await traffic.say(
    talk,
    'Then let them come on a little earlier in winter.',
    21_000,
    { tool: { name: 'Edit', input: { file_path: 'src/dusk.ts' }, output: 'edited' } },
    {
      text:
        'From November to February the lights now go on at -4.5 degrees. I changed one line and added a test for ' +
        'both seasons.',
    },
  );
  await daemon.api('PATCH', `/conversations/${talk}`, { pinned: true });
  await traffic.look(talk);
  await daemon.pass(3 * HOUR);
  const plan = await traffic.converse('architect-master');
  await traffic.say(
    plan,
    'How would a second harbour fit in?',
    14_000,
    { text: 'Beside the first, not inside it.' },
    { text: ' One daemon for each, and a room for both: src/server.ts:4-4 is the only place that knows a port.' },
  );
  await daemon.pass(20 * MINUTE);
  const told = await traffic.converse('ui-developer');
  await traffic.say(
    told,
    'Show the fog horn on the status page.',
    6_000,
    { text: 'It' },
    { error: 'The drawing is missing.' },
  );
  return talk;
}

async function runMemberTests(daemon: FixedDaemon): Promise<void> {
  await daemon.api('PATCH', '/team/consultant', { client: 'builtin' });
  await daemon.api<MemberTests>('POST', '/team/consultant/tests/run', {});
  await until(
    () => daemon.api<MemberTests>('GET', '/team/consultant/tests'),
    ({ running }) => !running,
  );
}

/** Asks the consultant, which the built-in client runs, from a command line. */
async function askBuiltinClient(traffic: HarbourTraffic): Promise<void> {
  const { daemon } = traffic;
  const headers = await traffic.caller('consultant', 'curl/8.14.1');
  const body = { text: 'Which lamp has a fog horn?' };
  const plain = await daemon.api<AskAccepted>('POST', '/team/consultant/ask', body, headers);
  await until(
    () => daemon.api<AskRecord>('GET', `/requests/${plain.request_id}`),
    ({ status }) => status === 'done',
  );
}

/** Leaves a conversation that waits for a permission, and a request that is running. Returns their ids. */
async function leaveAtWork(traffic: HarbourTraffic): Promise<{ asking: string; working: string }> {
  const asking = await traffic.converse('developer');
  await traffic.say(
    asking,
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
  const eclipse = await traffic.begin('developer', 'How would the lights know of an eclipse?', 'harbour-clock/2.1', {
    text: 'They would not.',
  });
  return { asking, working: eclipse.request_id };
}
