/**
 * Every call of the system by which the daemon writes its log of records, has it on the disk and answers, in the order in which it makes them: at no answer that says
 * that something was made may there be anything written and not yet on the disk, nor nothing at all since the answer before. Needs strace and leave to trace; Linux only.
 * `npx tsx scripts/hard/synced-first.ts [--writes 1000]`, half a minute.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterWithBoards } from './boards.js';
import { mayTrace, runDrill } from './drill.js';
import { callOf } from './http-call.js';
import { many } from './many.js';

/** The calls that matter; with `-yy` each names the file or connection that it is about. */
const CALLS = 'trace=write,writev,sendto,sendmsg,pwrite64,fdatasync,fsync';
const WRITTEN = /\b(?:write|pwrite64)\(\d+<[^>]*mesh\.db-wal>/;
const SYNCED = /\b(?:fdatasync|fsync)\(\d+<[^>]*mesh\.db-wal>.*= 0$/;
/** A call during which another thread made one stands in two lines. */
const SYNC_BEGUN = /^(\d+) .*\b(?:fdatasync|fsync)\(\d+<[^>]*mesh\.db-wal>.*<unfinished/;
const SYNC_ENDED = /^(\d+) .*<\.\.\. (?:fdatasync|fsync) resumed>.*= 0$/;
const ANSWERED = /\b(?:write|writev|sendto|sendmsg)\(\d+<TCP:.*HTTP\/1\.1 201 /;

/** What the calls of a trace come to: answers that came too early, and all answers. */
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
    // With -D the daemon is the child, and strace only looks on.
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
      const answer = await callOf(
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
    // A trace in which no answer is seen would have shown nothing.
    drill.measure({ measure: `${how}: answers seen`, value: answers, unit: 'answers', atLeast: half.length });
  }
});
