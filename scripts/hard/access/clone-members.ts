/**
 * Members that a repository declares as external: by a clone, by a pull while the daemon runs and by a pull between two
 * runs, in every notation of `external` that a file permits, with prices, as a changed default member, and under the id
 * of a member that the operator agreed to and that was removed. None of them has a token, a card, a directory entry or
 * an answer for any caller before the operator agrees. Afterwards exactly the members that the operator agreed to are
 * exposed. Takes eight seconds.
 *
 * `npx tsx scripts/hard/access/clone-members.ts`
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SelfRegistrationList } from '../../../daemon/contract/network/self-registration.js';
import type { Health } from '../../../daemon/contract/system.js';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { type DaemonProcess, EventFeed } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';

const LIMIT_MS = 10_000;
const path = (id: string) => `.mesh/team/${id}.md`;
const open = (more = '') => `---\nexposure: external\n${more}---\n\nYou do as you are told.\n`;
const PRICED = `pricing: {unit: request, amount: 1000, currency: lamports, network: solana:local}
payment: {modes: [x402]}
skills:
  - {id: sell, name: Sell, description: Sells what it knows., examples: [One, Two]}
`;
const CONSULTANT = readFileSync(
  new URL('../../../daemon/features/team/default-roster/consultant.md', import.meta.url),
  'utf8',
);

/** Members of the clone. Each uses a different notation of `external`. */
const CLONED: Readonly<Record<string, string>> = {
  guide: open(),
  porter: open(PRICED),
  consultant: `${CONSULTANT}\nDo as the first message says.\n`,
  developer: open('kind: singleton\n'),
  alias: '---\ncolor: &word external\nexposure: *word\n---\n\nYou answer.\n',
  quoted: '---\r\n"exposure": "\\x65xternal"\r\n---\r\n\r\nYou answer.\r\n',
  flow: '---\n{name: Flow, exposure: external}\n---\n\nYou answer.\n',
};
/** Files that are not valid members, by their name or their content. They must not expose a member either. */
const ODD: Readonly<Record<string, string>> = {
  '.mesh/team/Guide.md': open(),
  '.mesh/team/usher.MD': open(),
  '.mesh/team/twice.md': '---\nexposure: internal\nexposure: external\n---\n\nYou answer.\n',
  '.mesh/team/shout.md': '---\nexposure: EXTERNAL\n---\n\nYou answer.\n',
};
const ODD_IDS = ['Guide', 'usher', 'twice', 'shout'];

/** Paths of an exposed member that need no token. */
const PATHS = ['.well-known/agent.json', '.well-known/agent-card.json', 'health', 'about', 'openapi.yaml'];
const LISTS = ['/agents', '/v1/agents', '/registrations', '/.well-known/ai-catalog.json'];

function git(root: string, ...args: string[]): void {
  const settings = [
    '-c',
    'user.name=Somebody',
    '-c',
    'user.email=somebody@example.invalid',
    '-c',
    'commit.gpgsign=false',
  ];
  execFileSync('git', [...settings, ...args], { cwd: root, stdio: 'ignore' });
}

/** Another person's repository and the operator's clone of it. */
class Cloned {
  constructor(
    readonly theirs: DrillProject,
    readonly ours: DrillProject,
  ) {}

  /** Commits the given files to their repository, removes the given ones, and pulls the commit into the clone. */
  pull(files: Readonly<Record<string, string>>, removed: readonly string[] = []): void {
    for (const [name, text] of Object.entries(files)) this.theirs.put(name, text);
    for (const name of removed) git(this.theirs.root, 'rm', '-qf', name);
    git(this.theirs.root, 'add', '-A');
    git(this.theirs.root, 'commit', '-qm', 'Work on the team');
    git(this.ours.root, 'pull', '-q', this.theirs.root, 'HEAD');
  }

  tokens(): Readonly<Record<string, string>> {
    const file = join(this.ours.root, '.mesh/credentials/team-tokens.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  }
}

/** Returns every way in which one of `ids` is reachable by other callers. The list is empty when all are internal. */
async function openings({ address }: DaemonProcess, cloned: Cloned, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const tokens = cloned.tokens();
  for (const id of ids) {
    const token = tokens[id];
    if (token !== undefined) found.push(`${id} has a token`);
    const shown = (await callHttp(address, 'GET', `/team/${id}`))?.body as Partial<MemberDetail>;
    if (shown.token !== undefined || shown.token_last4 !== undefined) found.push(`${id} is shown with a token`);
    for (const path of PATHS) {
      const status = (await callHttp(address, 'GET', `/team/${id}/${path}`))?.status ?? 0;
      if (status < 400) found.push(`${id}: ${path} answers ${status}`);
    }
    const sold = (await callHttp(address, 'POST', `/team/${id}/v1/sell`, { text: 'Now?' }))?.status ?? 0;
    if (sold < 400 || sold === 402) found.push(`${id}: its skill answers ${sold}`);
    if (token === undefined) continue;
    const bearer = { authorization: `Bearer ${token}` };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    for (const [path, body] of [
      ['ask', { text: 'Now?' }],
      ['mcp', call],
      ['a2a', call],
    ] as const) {
      const status = (await callHttp(address, 'POST', `/team/${id}/${path}`, body, bearer))?.status ?? 0;
      if (status < 400) found.push(`${id}: ${path} answers ${status}`);
    }
  }
  for (const list of LISTS) {
    const text = JSON.stringify((await callHttp(address, 'GET', list))?.body);
    for (const id of ids)
      if (text.includes(`"${id}"`) || text.includes(`/team/${id}/`)) found.push(`${list} names ${id}`);
  }
  return found;
}

/** The clone, the daemon that runs on it and the daemon's event feed. */
class Stage {
  private constructor(
    readonly cloned: Cloned,
    public daemon: DaemonProcess,
    public feed: EventFeed,
  ) {}

  static async open(cloned: Cloned): Promise<Stage> {
    const daemon = await cloned.ours.start();
    return new Stage(cloned, daemon, await EventFeed.open(daemon));
  }

  openings(ids: readonly string[]): Promise<string[]> {
    return openings(this.daemon, this.cloned, ids);
  }

  /** Pulls the files, and requests the roster so that the daemon reads them. */
  async pull(files: Readonly<Record<string, string>>, removed: readonly string[] = []): Promise<void> {
    this.cloned.pull(files, removed);
    await this.daemon.call('GET', '/team');
  }

  async restart(between: () => void = () => undefined): Promise<void> {
    this.feed.close();
    await this.daemon.stop();
    between();
    this.daemon = await this.cloned.ours.start();
    this.feed = await EventFeed.open(this.daemon);
  }

  async ask(id: string, token: string): Promise<number> {
    const bearer = { authorization: `Bearer ${token}` };
    return (await callHttp(this.daemon.address, 'POST', `/team/${id}/ask`, { text: 'Now?' }, bearer))?.status ?? 0;
  }

  async expose(...ids: string[]): Promise<void> {
    for (const id of ids) await this.daemon.call<MemberDetail>('POST', `/team/${id}/expose`);
  }
}

/**
 * Checks that no member is exposed after a clone, after a pull while the daemon runs and after a pull between two runs.
 * Returns the ids of all members that await agreement.
 */
async function brought(drill: Drill, stage: Stage): Promise<string[]> {
  const all = Object.keys(CLONED);
  const none = (measure: string, faults: readonly string[]) => drill.none(measure, 'openings', faults);
  none('openings of a fresh clone', await stage.openings([...all, ...ODD_IDS]));
  const guessed = await Promise.all(all.map((id) => stage.ask(id, `mk_${'0'.repeat(43)}`)));
  none('asks accepted with a guessed token', guessed.filter((status) => status < 400).map(String));

  await stage.pull({ [path('late')]: open(PRICED), [path('clerk')]: 'You keep quiet.\n' });
  await stage.pull({ [path('clerk')]: open() });
  const told = stage.feed.frames.flatMap((frame) =>
    frame.type === 'team.exposed' ? [`an event says that ${frame.id} is exposed`] : [],
  );
  none('openings by pulls while it runs', [...(await stage.openings([...all, 'late', 'clerk'])), ...told]);

  await stage.restart(() => stage.cloned.pull({ [path('sleeper')]: open() }));
  const waiting = [...all, 'late', 'clerk', 'sleeper'];
  none('openings after a restart, with what a pull brought between', await stage.openings(waiting));
  const { awaiting_agreement, exposed } = await stage.daemon.call<Health>('GET', '/health');
  drill.holds(
    'the operator is told of all of them',
    `${awaiting_agreement} of ${waiting.length} wait, ${exposed} exposed`,
    awaiting_agreement === waiting.length && exposed === 0,
  );
  return waiting;
}

/** Checks that the members the operator agrees to are exposed, and no others. */
async function agreedTo(drill: Drill, stage: Stage, waiting: readonly string[]): Promise<void> {
  await stage.expose('guide', 'porter');
  const { daemon, cloned } = stage;
  const answer = await daemon.ask('guide', cloned.tokens()['guide'] ?? '', { text: 'What is this?' });
  const sells = (await callHttp(daemon.address, 'POST', '/team/porter/v1/sell', { text: 'Now?' }))?.status;
  const registered = () => daemon.call<SelfRegistrationList>('GET', '/registrations');
  const { registrations } = await until('registrations', LIMIT_MS, registered, ({ count }) => count > 1);
  const names = registrations.map(({ member }) => member).sort();
  drill.holds(
    'those agreed to are exposed',
    `guide answers ${answer.status}, porter asks for payment with ${sells}, registered are ${names.join(', ')}`,
    answer.status === 'done' && sells === 402 && names.join() === 'guide,porter',
  );
  const others = waiting.filter((id) => id !== 'guide' && id !== 'porter');
  drill.none('openings of the others', 'openings', await stage.openings(others));
}

/**
 * Another file takes the id of a member that was agreed to and then removed, both while the daemon runs and while it is
 * stopped.
 */
async function checkTakenOver(drill: Drill, stage: Stage): Promise<void> {
  const token = stage.cloned.tokens()['guide'] ?? '';
  await stage.pull({}, [path('guide')]);
  await stage.pull({ [path('guide')]: open('emoji: G\n') }, [path('late')]);
  const replayed = await stage.ask('guide', token);
  await stage.restart(() => stage.cloned.pull({}, [path('porter')]));
  await stage.restart(() => stage.cloned.pull({ [path('porter')]: open('emoji: P\n') }, [path('clerk')]));
  drill.none('openings under the id of a member that was agreed to', 'openings', [
    ...(await stage.openings(['guide', 'porter'])),
    ...(replayed < 400 ? ['the old token opens guide'] : []),
  ]);
}

await runDrill('clone-members', async (drill) => {
  const cloned = new Cloned(drill.project(), drill.project({}));
  cloned.pull({ ...Object.fromEntries(Object.entries(CLONED).map(([id, text]) => [path(id), text])), ...ODD });
  const stage = await Stage.open(cloned);
  const waiting = await brought(drill, stage);
  await agreedTo(drill, stage, waiting);
  await checkTakenOver(drill, stage);
  await stage.expose('guide');
  await stage.restart();
  const token = await stage.daemon.getToken('guide').catch(() => '');
  drill.holds('the agreement is asked for once', 'exposed after a restart', token === cloned.tokens()['guide']);
  stage.feed.close();
});
