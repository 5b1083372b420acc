/**
 * Places symbolic links, hard links, pipes, devices and other users' files at every name that the daemon opens below
 * `.mesh/state` and `.mesh/credentials`: all at once in a foreign project, where they are set aside, and one by one in
 * a project of this machine, where the start either names the obstructing file or does without it. Their targets must
 * not change and nothing may block on them. strace records what a running daemon opens, so that the list of names is
 * complete. Linux only.
 *
 * `npx tsx scripts/hard/access/foreign-files.ts [--places 24] [--seed 1]`
 */
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CREDENTIAL_NAMES, listPaths, STATE_NAMES } from '../../../daemon/private/private-names.js';
import { DaemonRefusedError } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, isLinux, mayTrace, runDrill } from '../drill.js';
import type { DrillProject } from '../project.js';

/** A start waits for nothing in these files, such as the writer of a pipe. Longer than one on a busy machine takes. */
const HUNG_MS = 60_000;
const THEIRS = 'alias ls=true # theirs\n';
const NOBODY = 65_534;

/** Every path below `.mesh` that is opened by name. A folder is represented by one file in it. */
const PLACES = [
  ...Object.entries(STATE_NAMES).flatMap(([name, kind]) =>
    kind === 'folder'
      ? [`state/${name}/${name === 'runs' ? '4711' : 'a'.repeat(64)}`]
      : listPaths(`state/${name}`, kind),
  ),
  ...Object.entries(CREDENTIAL_NAMES).flatMap(([name, kind]) => listPaths(`credentials/${name}`, kind)),
];

interface Hostile {
  what: string;
  needsRoot?: true;
  put: (place: string, outside: string) => void;
}

const KINDS: readonly Hostile[] = [
  { what: 'links to a file', put: (place, outside) => symlinkSync(outside, place) },
  { what: 'links to nothing', put: (place, outside) => symlinkSync(`${outside}.new`, place) },
  { what: 'hard links', put: (place, outside) => linkSync(outside, place) },
  { what: 'pipes', put: (place) => void execFileSync('mkfifo', [place]) },
  { what: 'devices', needsRoot: true, put: (place) => void execFileSync('mknod', [place, 'c', '1', '3']) },
  {
    what: "another user's files",
    needsRoot: true,
    put: (place) => {
      writeFileSync(place, '{}\n', { mode: 0o666 });
      chownSync(place, NOBODY, NOBODY);
    },
  },
];

/** A folder outside every project with one target file per place. Detects every change to it. */
class Outside {
  readonly folder = mkdtempSync(join(tmpdir(), 'meshd-outside-'));
  private readonly before: string;

  constructor() {
    PLACES.forEach((_, index) => {
      const path = this.file(index);
      writeFileSync(path, THEIRS, { mode: 0o644 });
      utimesSync(path, 1_000_000, 1_000_000);
    });
    this.before = this.look();
  }

  file(index: number): string {
    return join(this.folder, String(index));
  }

  changes(): string[] {
    const now = this.look();
    return now === this.before ? [] : [`outside: ${now.split('\n').filter((line) => !this.before.includes(line))[0]}`];
  }

  private look(): string {
    const lines = readdirSync(this.folder).map((name) => {
      const { mode, uid, size, mtimeMs } = lstatSync(join(this.folder, name));
      return [
        name,
        mode.toString(8),
        uid,
        size,
        mtimeMs,
        readFileSync(join(this.folder, name), 'utf8') === THEIRS,
      ].join(' ');
    });
    return lines.sort().join('\n');
  }
}

/** Starts a daemon, sends some requests and stops it. Returns the fault, or the message of a refusal. */
async function start(project: DrillProject): Promise<{ fault?: string; refusal?: string }> {
  try {
    const hung = setTimeout(HUNG_MS, undefined, { ref: false }).then(() => {
      throw new Error(`the start takes longer than ${HUNG_MS} ms`);
    });
    const daemon = await Promise.race([project.start(), hung]);
    await daemon.call('PATCH', '/preferences', { theme: 'dark' });
    await daemon.call('GET', '/logs');
    await daemon.call('GET', '/wallets');
    await daemon.stop();
    return {};
  } catch (error) {
    await project.endDaemon();
    const { message } = error as Error;
    // The refusal comes either from the start or from the first request that needs the file.
    const isRefusal = error instanceof DaemonRefusedError ? error.exit === 78 : /gave 403: .*"forbidden"/.test(message);
    return isRefusal ? { refusal: message } : { fault: String(error) };
  }
}

/**
 * Checks a repository that contains `kind` at the places `paths`. None of it may be opened, and the daemon must begin
 * with fresh state.
 */
async function checkRepository(drill: Drill, kind: Hostile, paths: readonly string[]): Promise<string[]> {
  const project = drill.project();
  const outside = new Outside();
  drill.atEnd(() => rmSync(outside.folder, { recursive: true, force: true }));
  for (const path of paths) {
    const place = join(project.root, '.mesh', path);
    mkdirSync(dirname(place), { recursive: true });
    kind.put(place, outside.file(PLACES.indexOf(path)));
  }
  const { fault, refusal } = await start(project);
  const strange = ['state', 'credentials'].flatMap((folder) =>
    readdirSync(join(project.root, '.mesh', folder), { withFileTypes: true })
      .filter((entry) => !entry.isFile() && !entry.isDirectory())
      .map((entry) => `${kind.what}: ${folder}/${entry.name} stands where it stood`),
  );
  return [
    ...outside.changes(),
    ...strange,
    ...[fault, refusal].flatMap((said) => (said ? [`${kind.what}: ${said}`] : [])),
  ];
}

/** Replaces one place at a time in a project of this machine. The start must name it or do without it. */
async function oneByOne(drill: Drill, count: number): Promise<{ faults: string[]; refused: number; tried: number }> {
  const kinds = KINDS.filter(({ needsRoot }) => !needsRoot || process.getuid?.() === 0);
  const pairs = drill.dice
    .shuffled(kinds.flatMap((kind) => PLACES.map((path, index) => ({ kind, path, index }))))
    .slice(0, count);
  const outside = new Outside();
  drill.atEnd(() => rmSync(outside.folder, { recursive: true, force: true }));
  const project = drill.project();
  const faults: string[] = [];
  let refused = 0;
  await start(project);
  for (const { kind, path, index } of pairs) {
    const place = join(project.root, '.mesh', path);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    kind.put(place, outside.file(index));
    const { fault, refusal } = await start(project);
    if (refusal !== undefined) refused += 1;
    if (fault !== undefined) faults.push(`${kind.what} at ${path}: ${fault}`);
    if (refusal !== undefined && !refusal.includes(path.replace(/^.*\//, ''))) faults.push(`${path}: ${refusal}`);
    faults.push(...outside.changes().map((said) => `${kind.what} at ${path}: ${said}`));
    rmSync(place, { recursive: true, force: true });
  }
  return { faults, refused, tried: pairs.length };
}

const OPENED = /openat\([^,]*, "(?<path>[^"]*\/\.mesh\/(?:state|credentials)\/[^"]*)"/g;
/** Temporary files before their rename, and copies that are already unlinked. */
const PASSING = /^(?:state|credentials)\/(?:.*\/)?\.(?:[0-9a-f]{16}\.tmp|copy-[0-9a-f]{16}\.db(?:-journal)?)$/;
const FOLDERS = new Set(['state', 'credentials', 'state/runs', 'state/imports', 'state/checkpoints']);

/** Returns the names below the two folders that a running daemon opens and no list contains. */
async function unlisted(drill: Drill): Promise<{ names: string[]; opened: number }> {
  const project = drill.project({ 'README.md': '# Lamp\n', 'scenario.json': '{"steps":[{"text":"Yes."}]}' });
  const trace = join(project.root, 'trace');
  const daemon = await project.start(project.standIns('scenario.json'), [
    'strace',
    '-D',
    '--seccomp-bpf',
    '-f',
    '-s',
    '4096',
    '-e',
    'trace=openat',
    '-o',
    trace,
  ]);
  await daemon.call('PATCH', '/preferences', { theme: 'dark' });
  await daemon.call('POST', '/wallets', { name: 'main' }).catch(() => undefined);
  await daemon.call('POST', '/v1/clusters', { name: 'Harbour' });
  const { conv } = await daemon.converse({ member: 'developer', client: 'acp' });
  await daemon.post(conv, 'Is it lit?');
  await daemon.ask('consultant', await daemon.getToken('consultant'), { text: 'What is this?' });
  await daemon.stop();
  const known = new Set(PLACES);
  const paths = new Set([...readFileSync(trace, 'utf8').matchAll(OPENED)].map((match) => match.groups?.['path'] ?? ''));
  const names = [...paths].map((path) => path.replace(/^.*\/\.mesh\//, '').replace(/\/$/, ''));
  const isKnown = (name: string) =>
    known.has(name) ||
    FOLDERS.has(name) ||
    PASSING.test(name) ||
    /^state\/(?:runs\/\d+|imports\/[0-9a-f]{64}|checkpoints\/[0-9a-f]{12}-\d+\.index(?:\.lock)?|outside(?:\/.*)?)$/.test(
      name,
    );
  return { names: names.filter((name) => !isKnown(name)), opened: names.length };
}

await runDrill('foreign-files', async (drill) => {
  if (!isLinux(drill, 'pipes, devices and /proc')) return;
  for (const kind of KINDS) {
    if (kind.needsRoot && process.getuid?.() !== 0) {
      drill.notRun(`${kind.what} at every name`, 'only root can make them');
      continue;
    }
    drill.none(
      `${kind.what} at every name of a foreign state: faults`,
      'faults',
      await checkRepository(drill, kind, PLACES),
      `${PLACES.length} names`,
    );
  }
  // The attack on version 0.1.0: a single link, which lets the start continue and write through it.
  const [link] = KINDS as [Hostile];
  const alone: string[] = [];
  for (const path of ['state/daemon.log', 'state/mesh.db', 'state/knowledge.db'])
    alone.push(...(await checkRepository(drill, link, [path])));
  drill.none('a link alone at the log, the store or the index: faults', 'faults', alone);
  const { faults, refused, tried } = await oneByOne(drill, drill.bound('places'));
  drill.none(
    'one at a time in a state of our own: faults',
    'faults',
    faults,
    `${tried} tried, ${refused} starts refused by name`,
  );
  if (!mayTrace(drill, 'strace tells what is opened')) return;
  const { names, opened } = await unlisted(drill);
  drill.none('names that are opened and not in the list', 'names', names, `${opened} names opened at work`);
  drill.measure({ measure: 'names seen opened', value: opened, unit: 'names', atLeast: 10 });
});
