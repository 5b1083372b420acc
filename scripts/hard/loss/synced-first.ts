/**
 * Traces every system call by which the daemon writes and syncs its write-ahead log and sends responses, in their
 * order. When a response reports a creation, no written byte may be unsynced, and with sequential requests at least one
 * sync must have occurred since the previous response. Needs permission to run strace. Takes half a minute. Linux only.
 *
 * `npx tsx scripts/hard/loss/synced-first.ts [--writes 1000]`
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayTrace, runDrill } from '../drill.js';
import { callHttp } from '../http-call.js';
import { clusterWithBoards } from '../load/boards.js';
import { many } from '../many.js';

/** The traced calls. With `-yy` each names its file or connection. */
const CALLS = 'trace=write,writev,sendto,sendmsg,pwrite64,fdatasync,fsync';
const WRITTEN = /\b(?:write|pwrite64)\(\d+<[^>]*mesh\.db-wal>/;
const SYNCED = /\b(?:fdatasync|fsync)\(\d+<[^>]*mesh\.db-wal>.*= 0$/;
/** strace splits a call into two lines when another thread makes a call meanwhile. */
const SYNC_BEGUN = /^(\d+) .*\b(?:fdatasync|fsync)\(\d+<[^>]*mesh\.db-wal>.*<unfinished/;
const SYNC_ENDED = /^(\d+) .*<\.\.\. (?:fdatasync|fsync) resumed>.*= 0$/;
const ANSWERED = /\b(?:write|writev|sendto|sendmsg)\(\d+<TCP:.*HTTP\/1\.1 201 /;

/** Returns the responses of a trace that were sent too early, and the number of all responses. */
function readTrace(text: string, isOneByOne: boolean): { early: string[]; answers: number } {
  const early: string[] = [];
  let [isDirty, wasSynced, answers] = [false, false, 0];
  const syncing = new Set<string>();
  for (const line of text.split('\n')) {
    const begun = SYNC_BEGUN.exec(line)?.[1];
    const ended = SYNC_ENDED.exec(line)?.[1];
    if (begun !== undefined) syncing.add(begun);
    if (WRITTEN.test(line)) isDirty = true;
    else if (SYNCED.test(line) || (ended !== undefined && syncing.delete(ended))) [isDirty, wasSynced] = [false, true];
    else if (ANSWERED.test(line)) {
      answers += 1;
      if (isDirty || (isOneByOne && !wasSynced))
        early.push(`answer ${answers}: ${isDirty ? 'written, not synced' : 'nothing synced since the one before'}`);
      wasSynced = false;
    }
  }
  return { early, answers };
}

await runDrill('synced-first', async (drill) => {
  if (!mayTrace(drill, 'strace tells the calls')) return;
  const writes = drill.bound('writes');
  for (const [how, atOnce] of [
    ['one by one', 1],
    ['sixteen at once', 16],
  ] as const) {
    const project = drill.project();
    const trace = join(project.root, 'trace');
    // With -D the daemon is the child process and strace only observes it.
    const daemon = await project.start({}, [
      'strace',
      '-D',
      '-f',
      '-yy',
      '-s',
      '24',
      '-e',
      CALLS,
      '-e',
      'signal=none',
      '-o',
      trace,
    ]);
    const { path, admin } = await clusterWithBoards(daemon, ['jobs']);
    const refused: string[] = [];
    const half = Array.from({ length: writes / 2 }, (_, number) => `post ${number}`);
    await many(half, atOnce, async (title) => {
      const answer = await callHttp(
        daemon.address,
        'POST',
        `${path}/boards/jobs/posts?agent=ada`,
        { title, body: 'x', ttl: 'forever' },
        admin,
      );
      if (answer?.status !== 201) refused.push(`${title}: ${answer?.status}`);
    });
    await daemon.stop();
    const { early, answers } = readTrace(readFileSync(trace, 'utf8'), atOnce === 1);
    drill.none(`${how}: answers before their record was on the disk`, 'answers', early, `of ${answers}`);
    drill.none(`${how}: posts that were not taken`, 'posts', refused);
    // A trace without a response would prove nothing.
    drill.measure({ measure: `${how}: answers seen`, value: answers, unit: 'answers', atLeast: half.length });
  }
});
