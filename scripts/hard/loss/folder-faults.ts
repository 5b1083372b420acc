/**
 * Folders that cannot be read or written, folders that are removed while the daemon runs, and git checkouts while it
 * runs. A start that is not possible exits with 78 and names the cause. A running daemon rejects what it could not keep
 * with 503 and continues to read, resumes once the fault is repaired, and never overwrites the operator's roster with
 * its default one. Needs root: the daemon runs as nobody. Takes thirty seconds. Linux only.
 *
 * `npx tsx scripts/hard/loss/folder-faults.ts`
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { MemberList } from '../../../daemon/contract/team.js';
import { type DaemonProcess, DaemonRefusedError } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, isLinux, runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';

const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const BAD_CONFIGURATION = 78;
const LIMIT_MS = 10_000;

/** Ways to make a path unusable. */
const SPOILT = {
  closed: (path: string) => close(path, 0o700),
  'a file': (path: string) => {
    rmSync(path, { recursive: true });
    writeFileSync(path, '');
  },
  'a folder': (path: string) => {
    rmSync(path, { recursive: true });
    mkdirSync(path);
  },
  'not to be made': (path: string) => {
    rmSync(path, { recursive: true });
    close(dirname(path), 0o555);
  },
} as const;

/** Faults at the start of a daemon, in a project where a daemon has run before. */
const STARTS: readonly (readonly [path: string, is: keyof typeof SPOILT])[] = [
  ['.mesh', 'not to be made'],
  ['.mesh', 'a file'],
  ['.mesh/state', 'not to be made'],
  ['.mesh/state', 'closed'],
  ['.mesh/state/mesh.db', 'closed'],
  ['.mesh/state/mesh.db', 'a folder'],
  ['.mesh/state/daemon.log', 'closed'],
  ['.mesh/credentials', 'closed'],
  ['.mesh/team', 'closed'],
  ['.mesh/STANDARD_VERSION', 'closed'],
];

/** Gives `path` to root, with `mode`. */
function close(path: string, mode: number): void {
  chownSync(path, 0, 0);
  chmodSync(path, mode);
}

function giveTo(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  chmodSync(path, 0o755);
}

/** A project owned by nobody, and its daemon, which runs as nobody. */
class NobodysProject {
  private constructor(
    private readonly project: DrillProject,
    public daemon: DaemonProcess,
  ) {}

  static async open(drill: Drill): Promise<NobodysProject> {
    const project = drill.project();
    execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, project.root]);
    return new NobodysProject(project, await project.start({}, AS_NOBODY));
  }

  readonly at = (path: string): string => join(this.project.root, path);

  start(): Promise<DaemonProcess> {
    return this.project.start({}, AS_NOBODY);
  }

  git(...words: string[]): string {
    return execFileSync(
      'git',
      ['-C', this.project.root, '-c', 'user.name=n', '-c', 'user.email=n@example.org', ...words],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        uid: NOBODY,
        gid: NOBODY,
        env: { PATH: process.env['PATH'], HOME: this.project.root },
      },
    );
  }

  async status(method: string, path: string, body?: object): Promise<number | undefined> {
    return (await callHttp(this.daemon.address, method, path, body))?.status;
  }

  async members(): Promise<string[]> {
    return (await this.daemon.call<MemberList>('GET', '/team')).members.map(({ id }) => id).sort();
  }
}

const member = (id: string) => ({ id, name: id, description: 'One of many.', body: 'Say little.' });
const getFile = (id: string) => `---\nname: ${id}\ndescription: One of many.\n---\nSay little.\n`;

async function starts(drill: Drill): Promise<void> {
  const faults: string[] = [];
  for (const [path, is] of STARTS) {
    const project = await NobodysProject.open(drill);
    await project.daemon.stop();
    SPOILT[is](project.at(path));
    const refused = await project.start().catch((error: unknown) => error);
    if (!(refused instanceof DaemonRefusedError)) faults.push(`${path} ${is}: it starts`);
    else if (
      refused.exit !== BAD_CONFIGURATION ||
      !refused.message.includes(project.at(is === 'not to be made' ? dirname(path) : path))
    )
      faults.push(`${path} ${is}: ${refused.exit ?? refused.signal} ${refused.message}`);
  }
  drill.none(
    `starts that were not refused with ${BAD_CONFIGURATION} and the name of what is wrong`,
    'starts',
    faults,
    `${STARTS.length} tried`,
  );
}

/** Makes a folder read-only for the daemon and then writable again. */
async function closed(
  drill: Drill,
  folder: string,
  write: (project: NobodysProject, number: number) => Promise<number | undefined>,
  done: number,
) {
  const project = await NobodysProject.open(drill);
  close(project.at(folder), 0o555);
  const meanwhile = [
    await write(project, 1),
    await project.status('GET', '/team'),
    await project.status('GET', '/health'),
  ];
  giveTo(project.at(folder));
  const after = await write(project, 2);
  drill.holds(
    `${folder} closed while it runs`,
    `a write ${meanwhile[0]}, the roster ${meanwhile[1]}, /health ${meanwhile[2]}; a write once it is open ` +
      `again ${after}`,
    String([...meanwhile, after]) === String([503, 200, 200, done]),
  );
}

/** Removes files of the store while the daemon runs, as `git clean -fdx` does. */
async function removed(drill: Drill, what: string): Promise<void> {
  const project = await NobodysProject.open(drill);
  const kept = await project.daemon.call<ClusterCreated>('POST', '/v1/clusters', {});
  const headers = { 'x-cluster-token': kept.admin_token as string };
  // The daemon may write there at the same time, so that an emptied folder is not empty when it is removed.
  for (let tries = 20; existsSync(project.at(what)) && tries > 0; tries -= 1) {
    try {
      rmSync(project.at(what), { recursive: true });
    } catch (error) {
      if (tries === 1) throw error;
    }
  }
  const write = await project.status('POST', '/v1/clusters', {});
  const reads = [
    (await callHttp(project.daemon.address, 'GET', `/v1/clusters/${kept.cluster_id}`, undefined, headers))?.status,
    await project.status('GET', '/team'),
  ];
  const health = await callHttp(project.daemon.address, 'GET', '/health');
  await project.daemon.stop();
  drill.holds(
    `${what} removed while it runs`,
    `a write ${write}, reads ${reads.join(' and ')}, /health says the store is ${health?.body?.store}, it ends ` +
      `with ${project.daemon.child.exitCode}`,
    String([write, ...reads, health?.body?.store, project.daemon.child.exitCode]) ===
      String([503, 200, 200, 'readonly', 0]),
  );
}

/** Checks out branches with different rosters in quick succession, and one branch without a roster. */
async function checkouts(drill: Drill): Promise<void> {
  const project = await NobodysProject.open(drill);
  const { at } = project;
  const git = (...words: string[]) => project.git(...words);
  const rosters: Record<string, string[]> = { master: await project.members() };
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('branch', '-M', 'master');
  for (const [branch, count] of [
    ['few', 3],
    ['many', 40],
  ] as const) {
    git('checkout', '-qb', branch, 'master');
    git('rm', '-qr', '.mesh/team');
    mkdirSync(at('.mesh/team'), { recursive: true });
    giveTo(at('.mesh/team'));
    rosters[branch] = Array.from({ length: count }, (_, number) => `${branch}-${number}`).sort();
    for (const id of rosters[branch]) writeFileSync(at(`.mesh/team/${id}.md`), getFile(id));
    git('add', '-A');
    git('commit', '-qm', branch);
  }
  git('checkout', '-qb', 'none', 'master');
  git('rm', '-qr', '.mesh/team');
  git('commit', '-qm', 'none');
  rosters['none'] = [];
  const faults: string[] = [];
  const branches = Object.keys(rosters);
  for (let number = 0; number < drill.bound('checkouts'); number += 1) {
    const branch = drill.dice.pick(branches);
    git('checkout', '-q', branch);
    // Some checkouts are replaced before the daemon can have read them.
    if (drill.dice.below(2) === 0) continue;
    const wanted = String(rosters[branch]);
    await until(
      branch,
      LIMIT_MS,
      () => project.members(),
      (ids) => String(ids) === wanted,
    ).catch(async () => faults.push(`${branch} shows ${(await project.members()).length} members`));
    if (git('status', '--porcelain') !== '') faults.push(`${branch} has changes that nobody made`);
  }
  drill.none(
    'checkouts after which the roster is another than the branch’s',
    'checkouts',
    faults,
    `${drill.bound('checkouts')} checkouts of ${branches.length} branches`,
  );
}

await runDrill('folder-faults', async (drill) => {
  if (!isLinux(drill, 'setpriv runs the daemon as another user')) return;
  if (process.getuid?.() !== 0) return drill.notRun('everything', 'only root may run the daemon as another user');
  await starts(drill);
  await closed(drill, '.mesh/team', (project, number) => project.status('POST', '/team', member(`new-${number}`)), 201);
  await closed(drill, '.mesh/credentials', (project) => project.status('POST', '/team/consultant/token/rotate'), 200);
  for (const what of ['.mesh/state/mesh.db', '.mesh/state/mesh.db-wal', '.mesh']) await removed(drill, what);
  await checkouts(drill);
  // A folder that is moved away and back must show the same members.
  const project = await NobodysProject.open(drill);
  const before = String(await project.members());
  renameSync(project.at('.mesh/team'), project.at('.mesh/away'));
  await until(
    'no member',
    LIMIT_MS,
    () => project.members(),
    (ids) => ids.length === 0,
  );
  renameSync(project.at('.mesh/away'), project.at('.mesh/team'));
  await until(
    'the members again',
    LIMIT_MS,
    () => project.members(),
    (ids) => String(ids) === before,
  );
  drill.holds('.mesh/team moved away and back', 'nobody, then the same members', true);
});
