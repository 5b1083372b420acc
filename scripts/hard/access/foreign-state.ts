/**
 * A repository whose author ran the daemon in it and committed its state: a waiting turn, a permanent permission, calls
 * and notifications in progress, tokens, keys and wallets. Cloned, unpacked from an archive, or with an id that the
 * machine knows from another project, it must not start a program, call an address, accept its tokens or sign with its
 * keys. The state that it contains is set aside unchanged. strace counts programs and connections where it is
 * permitted. Takes ten seconds. Linux only.
 *
 * `npx tsx scripts/hard/access/foreign-state.ts`
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openSqlite } from '../../../daemon/storage/database/sqlite.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import type { DrillProject } from '../project.js';

const MARKER = 'ran-what-waited';
const SCENARIO = JSON.stringify({
  when: [
    { says: 'leave a mark', steps: [{ text: MARKER }] },
    { says: 'Hang.', steps: [{ text: 'Working. ' }, { hang: true }] },
  ],
  steps: [{ text: 'A lamp.' }],
});
const FILES = { 'README.md': '# Lamp\n', 'scenario.json': SCENARIO };

/** State that the author's daemon left, and the values that would show that it is in effect again. */
interface Authored {
  project: DrillProject;
  conv: string;
  token: string;
  pubkey: string;
  /** Permits a daemon to call the counting listener, which is a loopback address. */
  environment: { MESHD_LOOPBACK_ENDPOINTS: string };
}

/**
 * Inserts the rows that a daemon writes while calls and notifications are in progress. The address in each is the
 * counting listener.
 */
function plantRows(root: string, address: string): void {
  const store = openSqlite(join(root, '.mesh/state/mesh.db'));
  const now = Date.now();
  store
    .prepare(
      `INSERT INTO calls (call_id, state, agent, agent_url, skill, input, asked_mode, wants_report, approved_lamports, created_ms)
       VALUES ('call-1', 'running', 'sage', ?, 'ask', '{}', 'auto', 0, 1000000, ?)`,
    )
    .run(address, now);
  store
    .prepare(
      `INSERT INTO a2a_push_configs (request_id, config_id, member, url, version, sent_status, created_ms)
       SELECT request_id, 'config-1', member, ?, '1.0', NULL, ? FROM asks LIMIT 1`,
    )
    .run(`${address}/hook`, now);
  store
    .prepare(
      `INSERT INTO permissions (pid, conv, turn, tool, target, reason, created_ms, expires_ms, decision, decided_by)
       SELECT 'pid-1', conv, turn, 'Bash', 'sh -c id', 'always', ?, ?, 'allow_always', 'operator' FROM turns LIMIT 1`,
    )
    .run(now, now + 86_400_000);
  store.close();
}

/** Creates the author's project: one turn runs forever, one waits behind it, and the daemon is killed. */
async function author(drill: Drill, address: string): Promise<Authored> {
  const project = drill.project(FILES);
  const daemon = await project.start(project.standIns('scenario.json'));
  const token = await daemon.getToken('consultant');
  const { receipt } = await daemon.ask('consultant', token, { text: 'What is this?' });
  await daemon.call('POST', '/wallets', { name: 'till' });
  const { conv } = await daemon.converse({ member: 'developer', client: 'acp' });
  await daemon.post(conv, 'Hang.');
  await daemon.post(conv, 'leave a mark');
  await until(
    'the program runs',
    20_000,
    () => project.programs().length,
    (count) => count > 0,
  );
  await daemon.kill();
  plantRows(project.root, address);
  return {
    project,
    conv,
    token,
    pubkey: String(receipt?.pubkey ?? ''),
    environment: { MESHD_LOOPBACK_ENDPOINTS: new URL(address).host },
  };
}

/** Creates another user's copy of the project, as git or an archive delivers it. */
function bring(drill: Drill, { project }: Authored, how: 'clone' | 'archive'): DrillProject {
  const clone = drill.project(FILES);
  cpSync(join(project.root, '.mesh'), join(clone.root, '.mesh'), { recursive: true });
  for (const path of ['.mesh/state', '.mesh/credentials'])
    execFileSync('chmod', ['-R', 'u=rwX,go=', join(clone.root, path)]);
  // Removes transient state: journals of programs, and a folder that git would treat as a nested repository.
  for (const name of ['runs', 'outside'])
    rmSync(join(clone.root, '.mesh/state', name), { recursive: true, force: true });
  if (how === 'clone') execFileSync('git', ['add', '-f', '-A', '.mesh'], { cwd: clone.root });
  return clone;
}

const EXECUTED = /execve\("(?<program>[^"]+)".*= 0$/gm;
const CONNECTED = /connect\(\d+, \{sa_family=AF_INET6?, .*/g;

/** Returns everything of the author's state that takes effect in the victim's daemon. The list must be empty. */
async function listActs(victim: DrillProject, authored: Authored, calls: () => number): Promise<string[]> {
  const acts: string[] = [];
  const trace = join(victim.root, 'trace');
  const through = hasStrace()
    ? ['strace', '-D', '-f', '--seccomp-bpf', '-s', '256', '-e', 'trace=execve,connect', '-o', trace]
    : [];
  const daemon = await victim.start({ ...victim.standIns('scenario.json'), ...authored.environment }, through);
  const before = calls();
  const status = async (path: string, token: string) =>
    (
      await fetch(`${daemon.address}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"text":"Who are you?"}',
      })
    ).status;
  if ((await status('/team/consultant/ask', authored.token)) !== 401) acts.push("the author's token opens a member");
  // While git tracks secrets, the daemon creates none. In that case there is no token to ask with.
  const own = await daemon.getToken('consultant').catch(() => undefined);
  const answer = own === undefined ? undefined : await daemon.ask('consultant', own, { text: 'What is this?' });
  if (own === authored.token) acts.push("the author's token is the member's");
  if (answer?.receipt?.pubkey === authored.pubkey) acts.push("the author's key signs receipts");
  await until(
    'the index and what a start begins',
    20_000,
    () => daemon.call<{ knowledge: { state: string } }>('GET', '/health'),
    (health) => health.knowledge.state === 'ready',
  );
  acts.push(...(await listRemainingRows(daemon, authored)));
  const programs = victim.programs().filter((pid) => getName(pid) !== 'strace');
  if (programs.length > 0) acts.push(`programs of the author's run: ${programs.map(getName).join(', ')}`);
  await daemon.stop();
  if (calls() > before) acts.push(`${calls() - before} requests were sent to the author's address`);
  if (through.length > 0) acts.push(...traced(readFileSync(trace, 'utf8')));
  return acts;
}

function getName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'one that has ended';
  }
}

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-f', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    // strace is not installed or not permitted. Programs and requests are then counted only where they arrive.
    return false;
  }
}

/** Returns the programs other than git that a daemon started, and the connections that it opened. */
function traced(text: string): string[] {
  const programs = [...text.matchAll(EXECUTED)].map((match) => match.groups?.['program'] ?? '');
  const others = programs.filter(
    (program) => !/\/(?:git|node|strace)$/.test(program) && !program.includes('/git-core/'),
  );
  const connections = text.match(CONNECTED) ?? [];
  return [
    ...others.map((program) => `${program} was started`),
    ...connections.map((line) => `a connection: ${line.slice(0, 80)}`),
  ];
}

async function listRemainingRows(daemon: DaemonProcess, { conv }: Authored): Promise<string[]> {
  const { conversations } = await daemon.call<{ conversations: { conv: string }[] }>('GET', '/conversations');
  const { wallets } = await daemon.call<{ wallets: { name: string }[] }>('GET', '/wallets');
  const ran = await daemon.transcript(conv).then(
    ({ messages }) => messages.some(({ text }) => text.includes(MARKER)),
    () => false,
  );
  return [
    ...(ran ? ['a turn that waited was run'] : []),
    ...conversations.filter((one) => one.conv === conv).map(() => "the author's conversation is listed"),
    ...wallets.filter(({ name }) => name === 'till').map(() => "the author's wallet is listed"),
  ];
}

/** Returns what the daemon did not report and what it did not keep. */
async function findReportFaults(victim: DrillProject): Promise<string[]> {
  const daemon = await victim.start(victim.standIns('scenario.json'));
  const { folders } = await daemon.call<{ folders: { folder: string; sentence: string }[] }>('GET', '/foreign-state');
  const { checks } = await daemon.call<{ checks: { id: string; found: string }[] }>('GET', '/doctor');
  await daemon.stop();
  const first = folders[0];
  if (!first) return ['nothing was said to be set aside'];
  const kept = [
    'state/mesh.db',
    'credentials/team-tokens.json',
    'credentials/identity.key',
    'credentials/wallets.json',
  ];
  return [
    ...kept.filter((path) => !existsSync(join(victim.root, first.folder, path))).map((path) => `${path} is gone`),
    ...(first.sentence.includes('meshd adopt') ? [] : ['the sentence does not say how to take it over']),
    ...(checks.some(({ id, found }) => id === 'foreign' && found.includes(first.folder))
      ? []
      : ['doctor says nothing']),
  ];
}

/** Creates an archive whose id this machine knows from another project. */
function withKnownId(drill: Drill, authored: Authored, known: DrillProject): DrillProject {
  const victim = bring(drill, authored, 'archive');
  writeFileSync(join(victim.root, '.mesh/state/id'), readFileSync(join(known.root, '.mesh/state/id')), { mode: 0o600 });
  mkdirSync(join(victim.root, '.local/state/meshd'), { recursive: true, mode: 0o700 });
  const states = join(known.root, '.local/state/meshd/states');
  cpSync(states, join(victim.root, '.local/state/meshd/states'), { recursive: true });
  for (const name of readdirSync(states))
    execFileSync('chmod', ['600', join(victim.root, '.local/state/meshd/states', name)]);
  return victim;
}

await runDrill('foreign-state', async (drill) => {
  if (!isLinux(drill, 'programs are found in /proc')) return;
  let requests = 0;
  const listener = createServer((_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  drill.atEnd(() => listener.close());
  const authored = await author(drill, `http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  const victims: [string, DrillProject][] = [
    ['a clone that committed it', bring(drill, authored, 'clone')],
    ['an archive that holds it', bring(drill, authored, 'archive')],
  ];
  const known = drill.project(FILES);
  await (await known.start()).stop();
  if (existsSync(join(known.root, '.mesh/state/id')))
    victims.push(['an id of another project', withKnownId(drill, authored, known)]);
  for (const [what, victim] of victims) {
    drill.none(`${what}: acts of the author`, 'acts', await listActs(victim, authored, () => requests));
    drill.none(`${what}: faults in telling and keeping`, 'faults', await findReportFaults(victim));
  }
});
