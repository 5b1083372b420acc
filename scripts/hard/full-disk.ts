/**
 * The project's `.mesh` folder is on a disk of a few megabytes, which is filled while posts are written. No
 * acknowledged post may be missing. Posts that cannot be stored are rejected as `no_space`, and reads continue. Once
 * space is available the next post succeeds without a restart, and all posts exist after a kill. Needs root, since it
 * mounts a tmpfs. Linux only.
 *
 * `npx tsx scripts/hard/full-disk.ts [--posts 400] [--rounds 1]`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addBoard, clusterWithBoards } from './boards.js';
import { isLinux, runDrill } from './drill.js';
import { callHttp } from './http-call.js';
import { many } from './many.js';

const DISK_MB = 24;
const AT_ONCE = 8;
/** Space left for the store when the filling begins. */
const LEFT_BYTES = 256 * 1024;
const BODY = 'x'.repeat(4_000);

/** An acknowledged post. */
interface StoredConversation {
  id: string;
  title: string;
}

await runDrill('full-disk', async (drill) => {
  if (!isLinux(drill, 'it mounts a disk in memory')) return;
  const project = drill.project();
  const folder = join(project.root, '.mesh');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    drill.notRun('a full disk', `a disk in memory cannot be mounted here: ${String(error).split('\n')[0]}`);
    return;
  }
  drill.atEnd(() => void execFileSync('umount', ['--lazy', folder]));
  let daemon = await project.start({});
  const cluster = await clusterWithBoards(daemon, [], { name: 'Full' });
  const { path, admin } = cluster;
  const kept: StoredConversation[] = [];
  const faults: string[] = [];
  const refused = { full: 0, recovered: 0 };
  const filler = join(folder, 'state', 'filler');
  const post = async (board: string, title: string) => {
    const answer = await callHttp(
      daemon.address,
      'POST',
      `${path}/boards/${board}/posts?agent=ada`,
      { title, body: BODY, ttl: 'forever' },
      admin,
    );
    if (answer?.status === 507) refused.full += 1;
    else if (answer && answer.status < 300) kept.push({ id: `${board}/posts/${answer.body.id}`, title });
    else faults.push(`a post was answered ${answer?.status} ${JSON.stringify(answer?.body)}`);
    return answer?.status;
  };
  const lost = async () => {
    const missing: string[] = [];
    await many(kept, AT_ONCE, async ({ id, title }) => {
      const answer = await callHttp(daemon.address, 'GET', `${path}/boards/${id}`, undefined, admin);
      if (answer?.body?.post?.title !== title) missing.push(`${title}: ${answer?.status}`);
    });
    return missing;
  };
  const gone: string[] = [];
  for (let round = 0; round < drill.bound('rounds'); round += 1) {
    const board = `board-${round}`;
    await addBoard(daemon, cluster, board);
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - LEFT_BYTES)));
    const titles = Array.from({ length: drill.bound('posts') }, (_, number) => `${board} ${number}`);
    await many(titles, AT_ONCE, async (title) => void (await post(board, title)));
    gone.push(...(await lost()));
    const health = await callHttp(daemon.address, 'GET', '/health');
    if (health?.status !== 200) faults.push(`/health was answered ${health?.status} while the disk was full`);
    rmSync(filler);
    if ((await post(board, `${board} again`)) === 201) refused.recovered += 1;
  }
  await daemon.kill();
  daemon = await project.start({});
  gone.push(...(await lost()));
  const message = `${kept.length} kept, ${refused.full} refused with 507`;
  drill.none('posts acknowledged and missing', 'posts', gone, message);
  drill.none('answers that are neither taken nor no_space', 'answers', faults);
  // If the disk never filled up, the drill has tested nothing.
  drill.measure({ measure: 'posts refused while it was full', value: refused.full, unit: 'posts', atLeast: 1 });
  drill.measure({
    measure: 'posts taken at once when there was space again, without a restart',
    value: refused.recovered,
    unit: 'posts',
    exactly: drill.bound('rounds'),
  });
});
