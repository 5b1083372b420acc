/**
 * Kills the daemon at each step of a checkpoint, of a rewind and of a hunk that is taken back: before or after one of the git
 * commands that the step runs. The git of that command outlives the daemon. After every kill the next daemon goes on by itself.
 * No checkpoint that was told of may be lost, an ended turn has its checkpoint, a rewind is done whole or not at all,
 * `git fsck` passes, and the user's index and HEAD are what they were. On 127.0.0.1 only; no time is judged.
 *
 * Tells every fault when it is found, and how far it is. A kill takes about a second, however many were before it.
 *
 * `npx tsx scripts/hard/loss/checkpoint-kill.ts [--kills 12] [--seed 1]`
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Changes, CheckpointList } from '../../../daemon/contract/work/changes.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import type { DrillProject } from '../project.js';

const LIMIT_MS = 60_000;
const FILES = 40;
const TOLD_EVERY = 25;
/** About as many counted git commands as the longest of the actions runs; later numbers would hit none. */
const STEPS_MAX = 14;
const ACTIONS = ['turn', 'rewind', 'revert'] as const;
const IGNORED = '.local\n.mesh\nsteps\nshim\nscenario.json\n';

/**
 * A git that stands still at the command whose number is in `armed`: before it with an even number of `when`, else after
 * it. Commands that neither use an index nor name a tree or a reference do not count.
 */
const shim = (folder: string, git: string) => `#!/bin/sh
cd_=${folder}
case "$*" in
  *update-index*|*write-tree*|*commit-tree*|*update-ref*|*diff-tree*|*ls-files*|*diff-files*|*checkout-index*|*read-tree*|*apply*)
  if [ -e $cd_/armed ]; then
    # Commands may run at once: the first number without a file is this one's, as no file is made twice.
    set -C
    at=1
    while ! true 2>/dev/null > $cd_/armed.$at; do at=$((at + 1)); done
    set +C
    read stop < $cd_/armed
    if [ $at = "$stop" ]; then
      read when < $cd_/when
      if [ $((when % 2)) = 0 ]; then
        touch $cd_/at
        while [ ! -e $cd_/go ]; do sleep 0.01; done
        exec ${git} "$@"
      fi
      ${git} "$@"; code=$?
      touch $cd_/at
      while [ ! -e $cd_/go ]; do sleep 0.01; done
      exit $code
    fi
  fi ;;
esac
exec ${git} "$@"
`;

class Round {
  private readonly steps: string;
  private readonly shim: string;
  private readonly index: Buffer;
  private readonly head: string;
  private edits = 0;
  private isKilled = false;
  conv = '';
  daemon!: DaemonProcess;

  constructor(
    private readonly drill: Drill,
    private readonly project: DrillProject,
  ) {
    this.steps = project.folder('steps');
    this.shim = project.folder('shim');
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    project.put('shim/git', shim(this.shim, git));
    chmodSync(join(this.shim, 'git'), 0o755);
    const at = join(this.steps, 'at-work');
    const go = join(this.steps, 'edited');
    project.put('scenario.json', JSON.stringify({ steps: [{ touch: at }, { until: go }, { text: 'Done.' }] }));
    this.git('add', '-A');
    this.git('-c', 'user.name=d', '-c', 'user.email=d@localhost', 'commit', '-qm', 'first');
    this.index = readFileSync(join(project.root, '.git/index'));
    this.head = this.git('rev-parse', 'HEAD');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.project.root, encoding: 'utf8' }).trim();
  }

  async start(): Promise<void> {
    const path = `${this.shim}:${process.env['PATH']}`;
    this.daemon = await this.project.start({ ...this.project.standIns('scenario.json'), PATH: path });
  }

  /** Reads from the daemon, which may have closed the idle connection while git ran: the client must see that first. */
  private async read<Body>(path: string): Promise<Body> {
    await nextTurn();
    await nextTurn();
    return this.daemon.call('GET', path);
  }

  list(): Promise<CheckpointList> {
    return this.read(`/conversations/${this.conv}/checkpoints`);
  }

  /** Runs a turn in which two files change, up to the end of the turn. */
  async turn(): Promise<void> {
    for (const name of ['at-work', 'edited']) rmSync(join(this.steps, name), { force: true });
    await this.daemon.post(this.conv, 'Change it.');
    // A daemon that is killed before the agent starts never starts it.
    const isAtWork = () => this.isKilled || existsSync(join(this.steps, 'at-work'));
    await until('the agent works', LIMIT_MS, isAtWork, Boolean);
    this.edit();
    writeFileSync(join(this.steps, 'edited'), '');
  }

  private edit(): void {
    this.edits += 1;
    for (const file of [this.drill.dice.below(FILES), FILES + this.edits])
      this.project.put(`src/f${file}.txt`, `line\nedit ${this.edits}\n`);
  }

  /** Runs an action without awaiting it. */
  begin(action: (typeof ACTIONS)[number], list: CheckpointList): Promise<unknown> {
    const path = `/conversations/${this.conv}`;
    const checkpoint = this.drill.dice.pick(list.checkpoints).checkpoint;
    if (action === 'turn') return this.turn();
    if (action === 'rewind') return this.daemon.call('POST', `${path}/rewind`, { checkpoint, what: 'both' });
    return this.daemon
      .call<Changes>('GET', `${path}/changes`)
      .then(({ files }) =>
        files[0] ? this.daemon.call('POST', `${path}/changes/revert`, { path: files[0].path }) : undefined,
      );
  }

  /** Kills the daemon at the git command with that number, or after the action when it runs fewer. */
  async kill(action: (typeof ACTIONS)[number], step: number, list: CheckpointList): Promise<boolean> {
    for (const name of readdirSync(this.shim).filter((one) => one !== 'git')) rmSync(join(this.shim, name));
    this.isKilled = false;
    writeFileSync(join(this.shim, 'when'), `${step}\n`);
    writeFileSync(join(this.shim, 'armed'), `${1 + (step >> 1)}\n`);
    let hasEnded = false;
    const ended = this.begin(action, list).then(
      () => {
        hasEnded = action !== 'turn';
      },
      () => undefined,
    );
    const isAt = () => existsSync(join(this.shim, 'at'));
    const isOver = async () => {
      if (isAt() || hasEnded) return true;
      if (action !== 'turn') return false;
      const { checkpoints } = await this.list();
      return checkpoints.length > list.checkpoints.length && checkpoints.at(-1)?.kind === 'turn';
    };
    await until(`step ${step} of a ${action}`, LIMIT_MS, isOver, Boolean);
    const wasHit = isAt();
    await this.daemon.kill();
    this.isKilled = true;
    rmSync(join(this.shim, 'armed'), { force: true });
    writeFileSync(join(this.shim, 'go'), '');
    writeFileSync(join(this.steps, 'edited'), '');
    await ended;
    return wasHit;
  }

  /** Returns commit and tree of each checkpoint of the conversation, as git has them. */
  private listRefs(): Map<string, { commit: string; tree: string }> {
    const rows = this.git(
      'for-each-ref',
      '--format=%(refname:lstrip=3) %(objectname) %(tree)',
      `refs/meshd/${this.conv}`,
    );
    return new Map(
      rows.split('\n').map((row) => {
        const [name = '', commit = '', tree = ''] = row.split(' ');
        return [name, { commit, tree }];
      }),
    );
  }

  /** Returns the tree of the files as they are, through an index that is used for nothing else. */
  private writeTree(): string {
    const env = { ...process.env, GIT_INDEX_FILE: join(this.steps, 'index') };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: this.project.root, env, encoding: 'utf8' });
    git('add', '--all');
    return git('write-tree').trim();
  }

  /** Returns what is wrong once the next daemon has gone on. `before`: the checkpoints that were told of. */
  async findFaults(before: CheckpointList): Promise<string[]> {
    const faults: string[] = [];
    // Comparing waits for what the start does in the folder.
    await this.read(`/conversations/${this.conv}/changes`);
    const { checkpoints, problem } = await this.list();
    if (problem !== null) faults.push(problem);
    const refs = this.listRefs();
    const told = new Map(checkpoints.map(({ checkpoint, commit }) => [checkpoint, commit]));
    for (const { checkpoint, commit } of before.checkpoints) {
      if (told.get(checkpoint) !== commit) faults.push(`${checkpoint} is lost`);
      if (refs.get(checkpoint)?.commit !== commit) faults.push(`the reference of ${checkpoint} moved`);
    }
    const last = checkpoints.at(-1);
    const changed = await this.read<Changes>(`/conversations/${this.conv}/changes?from=${last?.checkpoint}&to=working`);
    if (last?.kind === 'turn' && changed.count > 0) faults.push(`${changed.count} files differ from the last turn`);
    if (last?.kind === 'rewind' || last?.kind === 'revert') {
      // Put back as a whole: the files are those of some checkpoint, or differ in the one that was taken back.
      const tree = this.writeTree();
      const isWhole = changed.count <= 1 || [...refs.values()].some((one) => one.tree === tree);
      if (!isWhole) faults.push(`files are half put back: ${changed.count} differ from the last checkpoint`);
    }
    const fsck = spawnSync('git', ['fsck', '--no-dangling'], { cwd: this.project.root, encoding: 'utf8' });
    if (fsck.status !== 0) faults.push(`git fsck: ${fsck.stderr.trim()}`);
    if (!readFileSync(join(this.project.root, '.git/index')).equals(this.index)) faults.push('the index changed');
    if (this.git('rev-parse', 'HEAD') !== this.head) faults.push('HEAD moved');
    const left = readdirSync(join(this.project.root, 'src')).filter((name) => name.endsWith('.tmp'));
    if (left.length > 0) faults.push(`left behind: ${left.join()}`);
    return faults;
  }
}

await runDrill('checkpoint-kill', async (drill) => {
  const files = Object.fromEntries(Array.from({ length: FILES }, (_, at) => [`src/f${at}.txt`, `line\nfile ${at}\n`]));
  const round = new Round(drill, drill.project({ ...files, '.gitignore': IGNORED }));
  await round.start();
  const { conv } = await round.daemon.converse({ member: 'developer', client: 'acp', isolation: 'project' });
  round.conv = conv;
  await round.turn();
  await until(
    'the first checkpoint',
    LIMIT_MS,
    () => round.list(),
    ({ count }) => count > 1,
  );
  const faults: string[] = [];
  let hits = 0;
  const kills = drill.bound('kills');
  for (let kill = 0; kill < kills; kill += 1) {
    const action = ACTIONS[kill % ACTIONS.length] ?? 'turn';
    const step = drill.dice.below(STEPS_MAX * 2);
    const before = await round.list();
    if (await round.kill(action, step, before)) hits += 1;
    await round.start();
    for (const fault of await round.findFaults(before)) {
      faults.push(`${action} at ${step}: ${fault}`);
      console.error(`kill ${kill + 1}: ${faults.at(-1)}`);
    }
    if ((kill + 1) % TOLD_EVERY === 0)
      console.error(`${kill + 1} of ${kills} kills, ${hits} at a git command, ${faults.length} faults`);
  }
  drill.none('kills', 'faults', faults, `${kills} kills, ${hits} at a git command`);
  drill.holds('kills hit', `${hits} kills hit a git command`, hits * 2 >= kills);
});
