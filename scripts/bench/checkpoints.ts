/**
 * Measures what the checkpoint of a turn costs, and what opening its diff does, in a repository of 5,000 files over a
 * conversation of many turns, each of which changes three files. A second repository gets the same changes for the
 * peer, `git stash create`, which keeps no untracked file and makes no reference; there each turn is then committed, so
 * that the peer never has more than three changed files to look at. Usage:
 * `npx tsx scripts/bench/checkpoints.ts [--turns 1000]`; with `--rounds 1`, 60 turns.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Bus } from '../../daemon/events/bus.js';
import { ConversationChanges } from '../../daemon/features/checkpoints/changes.js';
import { Checkpoints } from '../../daemon/features/checkpoints/checkpoints.js';
import { CheckpointsStore } from '../../daemon/features/checkpoints/checkpoints-store.js';
import type { Conversations } from '../../daemon/features/conversations/conversations.js';
import { ConversationsStore } from '../../daemon/features/conversations/conversations-store.js';
import { TurnsStore } from '../../daemon/features/conversations/turns-store.js';
import { systemClock } from '../../daemon/lib/time/clock.js';
import { Transactions } from '../../daemon/storage/database/transaction.js';
import { WorkingTrees } from '../../daemon/storage/git/working-trees.js';
import { Dice } from '../../daemon/testing/dice.js';
import { median, quantile, report, rounded } from './measure.js';
import { importSqlAsText } from './sql-as-text.js';

const FILES = 5_000;
const FILES_OF_TURN = 3;
const LINES = 60;
const GOAL_MS = { checkpoint: 150, diff: 200 };
const CONV = 'conv-bench';
const getOption = (name: string) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : Number(process.argv[at + 1]);
};
const TURNS = getOption('--turns') ?? (getOption('--rounds') === 1 ? 60 : 1_000);

const run = promisify(execFile);
const git = (folder: string, ...args: string[]) => execFileSync('git', args, { cwd: folder });
const getPath = (file: number) => `src/part-${file % 100}/file-${file}.ts`;
const getText = (file: number, turn: number) =>
  Array.from({ length: LINES }, (_, line) => `export const value${line} = ${line === 20 ? turn : file};\n`).join('');

function makeRepository(folder: string): void {
  for (let file = 0; file < FILES; file += 1) {
    mkdirSync(dirname(join(folder, getPath(file))), { recursive: true });
    writeFileSync(join(folder, getPath(file)), getText(file, 0));
  }
  git(folder, 'init', '-q');
  git(folder, 'config', 'user.name', 'bench');
  git(folder, 'config', 'user.email', 'bench@localhost');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
}

/** Opens checkpoints of one conversation over a store on disk. Nothing listens to their events. */
async function openCheckpoints(base: string, folder: string) {
  importSqlAsText();
  const { Database } = await import('../../daemon/storage/database/database.js');
  const database = new Database(join(base, 'mesh.db'));
  const transactions = new Transactions(database);
  const conversationsStore = new ConversationsStore(database);
  await transactions.run((transaction) =>
    conversationsStore.put(transaction, {
      ...{ conv: CONV, member: null, agent_type: 'custom', title: 'Bench', client: null, model: null, effort: null },
      ...{ isolation: null, place_of: null, from_outside: 0, created_ms: systemClock.now() },
    }),
  );
  const conversations = { row: (conv: string) => conversationsStore.find(conv) } as unknown as Conversations;
  const trees = new WorkingTrees(join(base, 'indexes'), { PATH: process.env['PATH'], HOME: base });
  const store = new CheckpointsStore(database);
  const checkpoints = new Checkpoints({
    ...{ transactions, store, conversations, trees, turns: new TurnsStore(database), clock: systemClock },
    bus: { publish: () => undefined } as unknown as Bus,
    folderOf: () => folder,
    worktreeOf: () => undefined,
    findHidden: () => [],
    putForkFiles: async () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  const changes = new ConversationChanges({ conversations, checkpoints, trees, hasCheckpoint: () => true });
  return { checkpoints, changes, trees, close: () => database.close() };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

type Opened = Awaited<ReturnType<typeof openCheckpoints>>;

/** Keeps the files as a checkpoint, as at the end of a turn. */
const keep = ({ checkpoints, trees }: Opened, checkpoint: string, seq: number) =>
  checkpoints.inFolder(CONV, async (folder) => {
    const now = await trees.take(folder);
    if (!now) throw new Error('The folder is in no repository.');
    const kind = seq === 0 ? 'start' : 'turn';
    const made = await checkpoints.make(now, { conv: CONV, checkpoint, kind, turn: null, last_seq: seq });
    if (!made) throw new Error(`${checkpoint} was not made.`);
  });

/** Reads what the page of changes reads of one turn: the files, then the diff of each. */
async function openDiff({ changes }: Opened, from: string, to: string): Promise<void> {
  const { files } = await changes.list(CONV, { from, to });
  if (files.length !== FILES_OF_TURN) throw new Error(`${to} has ${files.length} changed files.`);
  await Promise.all(files.map(({ path }) => changes.file(CONV, { path, from, to })));
}

function say(measure: string, ours: readonly number[], peer: readonly number[], limitMs: number): void {
  for (const [name, share] of [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const) {
    const at = (values: readonly number[]) => (share === 0.5 ? median(values) : quantile(values, share));
    report({
      ...{ bench: 'checkpoints', measure: `${measure}, ${name} of ${TURNS} turns`, unit: 'ms', rounds: 1 },
      ours: rounded(at(ours)),
      ...{ min: rounded(Math.min(...ours)), max: rounded(Math.max(...ours)) },
      peer: { name: 'git stash create', value: rounded(at(peer)) },
      ratio: rounded(at(ours) / at(peer), 2),
      ...(share === 0.95 && { goal: `< ${limitMs} ms`, pass: at(ours) < limitMs }),
    });
  }
}

const base = mkdtempSync(join(tmpdir(), 'meshd-bench-checkpoints-'));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
process.once('exit', () => rmSync(base, { recursive: true, force: true }));
const [own, stashed] = [join(base, 'own'), join(base, 'stashed')];
makeRepository(own);
cpSync(own, stashed, { recursive: true });
git(stashed, 'update-index', '-q', '--refresh');
const opened = await openCheckpoints(base, own);
const dice = new Dice(1);
const times = { checkpoint: [] as number[], diff: [] as number[], stash: [] as number[] };
await keep(opened, 'start', 0);
for (let turn = 1; turn <= TURNS; turn += 1) {
  const first = dice.below(FILES);
  for (let file = first; file < first + FILES_OF_TURN; file += 1)
    for (const folder of [own, stashed]) writeFileSync(join(folder, getPath(file % FILES)), getText(file, turn));
  const [before, name] = [turn === 1 ? 'start' : `turn-${turn - 1}`, `turn-${turn}`];
  times.stash.push(await timed(() => run('git', ['stash', 'create'], { cwd: stashed })));
  git(stashed, 'commit', '-qam', name);
  times.checkpoint.push(await timed(() => keep(opened, name, turn)));
  times.diff.push(await timed(() => openDiff(opened, before, name)));
}
say('a checkpoint over 5,000 files', times.checkpoint, times.stash, GOAL_MS.checkpoint);
say('the diff of a turn, opened', times.diff, times.stash, GOAL_MS.diff);
opened.close();
