/**
 * The project's `.mesh` folder is on a disk of a few megabytes, which is filled while posts are written. No
 * acknowledged post may be missing. Posts that cannot be stored are rejected as `no_space`, and reads continue. Once
 * space is available the next post succeeds without a restart, and all posts exist after a kill. Needs root, since it
 * mounts a tmpfs. Linux only.
 *
 * `npx tsx scripts/hard/loss/full-disk.ts [--posts 400] [--rounds 1]`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Drill, isLinux, runDrill } from '../drill.js';
import { callHttp } from '../http-call.js';
import { addBoard, type BoardsCluster, clusterWithBoards } from '../load/boards.js';
import { many } from '../many.js';

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

/** Mounts a disk in memory at `folder` until the end of the drill. Records the drill as not run if it may not. */
function mountDisk(drill: Drill, folder: string): boolean {
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m,mode=755`, 'tmpfs', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    drill.notRun('a full disk', `a disk in memory cannot be mounted here: ${String(error).split('\n')[0]}`);
    return false;
  }
  drill.atEnd(() => void execFileSync('umount', ['--lazy', folder]));
  return true;
}

/** Posts to the boards of a cluster, of which the acknowledged ones are kept. */
class Posting {
  readonly kept: StoredConversation[] = [];
  readonly faults: string[] = [];
  /** Number of posts that were rejected because the disk was full. */
  full = 0;

  constructor(
    private readonly address: () => string,
    private readonly cluster: BoardsCluster,
  ) {}

  async post(board: string, title: string): Promise<number | undefined> {
    const { path, admin } = this.cluster;
    const answer = await callHttp(
      this.address(),
      'POST',
      `${path}/boards/${board}/posts?agent=ada`,
      { title, body: BODY, ttl: 'forever' },
      admin,
    );
    if (answer?.status === 507) this.full += 1;
    else if (answer && answer.status < 300) this.kept.push({ id: `${board}/posts/${answer.body.id}`, title });
    else this.faults.push(`a post was answered ${answer?.status} ${JSON.stringify(answer?.body)}`);
    return answer?.status;
  }

  /** Returns the acknowledged posts that are missing. */
  async lost(): Promise<string[]> {
    const { path, admin } = this.cluster;
    const missing: string[] = [];
    await many(this.kept, AT_ONCE, async ({ id, title }) => {
      const answer = await callHttp(this.address(), 'GET', `${path}/boards/${id}`, undefined, admin);
      if (answer?.body?.post?.title !== title) missing.push(`${title}: ${answer?.status}`);
    });
    return missing;
  }
}

await runDrill('full-disk', async (drill) => {
  if (!isLinux(drill, 'it mounts a disk in memory')) return;
  const project = drill.project();
  const folder = join(project.root, '.mesh');
  if (!mountDisk(drill, folder)) return;
  let daemon = await project.start({});
  const cluster = await clusterWithBoards(daemon, [], { name: 'Full' });
  const posting = new Posting(() => daemon.address, cluster);
  const filler = join(folder, 'state', 'filler');
  let recovered = 0;
  const gone: string[] = [];
  for (let round = 0; round < drill.bound('rounds'); round += 1) {
    const board = `board-${round}`;
    await addBoard(daemon, cluster, board);
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - LEFT_BYTES)));
    const titles = Array.from({ length: drill.bound('posts') }, (_, number) => `${board} ${number}`);
    await many(titles, AT_ONCE, async (title) => void (await posting.post(board, title)));
    gone.push(...(await posting.lost()));
    const health = await callHttp(daemon.address, 'GET', '/health');
    if (health?.status !== 200) posting.faults.push(`/health was answered ${health?.status} while the disk was full`);
    rmSync(filler);
    if ((await posting.post(board, `${board} again`)) === 201) recovered += 1;
  }
  await daemon.kill();
  daemon = await project.start({});
  gone.push(...(await posting.lost()));
  const message = `${posting.kept.length} kept, ${posting.full} refused with 507`;
  drill.none('posts acknowledged and missing', 'posts', gone, message);
  drill.none('answers that are neither taken nor no_space', 'answers', posting.faults);
  // If the disk never filled up, the drill has tested nothing.
  drill.measure({ measure: 'posts refused while it was full', value: posting.full, unit: 'posts', atLeast: 1 });
  drill.measure({
    measure: 'posts taken at once when there was space again, without a restart',
    value: recovered,
    unit: 'posts',
    exactly: drill.bound('rounds'),
  });
});
