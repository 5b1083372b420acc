/**
 * Makes system calls of a running daemon fail: the n-th write to the write-ahead log, flush, rename or opening of a
 * file since the daemon was ready, or that one and all after it, as with a failing disk, a full disk, a full file table
 * or a missing permission. Every request must succeed or be rejected with an error that names what failed. The daemon
 * must continue. What it acknowledged must exist after a restart without the fault. When the peer of a connection
 * cannot be looked up, the connection is rejected and the client is told to retry. Needs permission to run strace.
 * Takes a second and a half per run. Linux only.
 *
 * `npx tsx scripts/hard/input/failing-calls.ts [--runs 52] [--seed 1]`
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { mayTrace, runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import { type BoardsCluster, clusterWithBoards } from '../load/boards.js';
import type { DrillProject } from '../project.js';

/**
 * The failing call, its errors, and the largest n of the first failure: the number of such calls that the work makes
 * for certain.
 */
const FAULTS: readonly (readonly [call: string, errors: readonly string[], nthMax: number])[] = [
  ['pwrite64', ['EIO', 'ENOSPC'], 30],
  ['fdatasync', ['EIO', 'ENOSPC'], 15],
  ['fsync', ['EIO', 'ENOSPC'], 15],
  ['rename', ['EIO', 'ENOSPC', 'EACCES'], 8],
  ['openat', ['EIO', 'EMFILE', 'EACCES', 'ENOSPC'], 30],
];
const ROUNDS = 8;
const ATTACHED_MS = 10_000;
/** Permitted statuses when a system call failed: `no_space`, `store_readonly` and `overloaded`. */
const REFUSED = [503, 507];

interface RecordedCall {
  what: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Whether the response body contains what was acknowledged. */
  // biome-ignore lint/suspicious/noExplicitAny: a response body of any route.
  isThere: (body: any) => boolean;
}

/** The system call that fails, its error, and when it fails in strace's notation. */
interface Fault {
  call: string;
  error: string;
  when: string;
}

/** Starts strace with the fault. Resolves once strace is attached to every thread of the daemon. */
async function inject(daemon: DaemonProcess, trace: string, { call, error, when }: Fault): Promise<ChildProcess> {
  const args = [
    '-f',
    '-p',
    String(daemon.pid),
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:error=${error}:when=${when}`,
    '-e',
    'signal=none',
  ];
  const child = spawn('strace', [...args, '-o', trace], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  await until(
    'strace at work',
    ATTACHED_MS,
    () => said,
    (text) => text.includes('attached'),
  );
  return child;
}

/** A POST request that creates a record, and how the record is found again from the response. */
interface Creation {
  to: string;
  body: object;
  headers: Readonly<Record<string, string>>;
  keep: (body: never) => RecordedCall;
}

/** Returns the requests that create one record of each kind. */
const listCreations = (number: number, { path, admin }: BoardsCluster): readonly Creation[] => [
  {
    to: `${path}/boards/jobs/posts?agent=ada`,
    body: { title: `Post ${number}`, body: 'x', ttl: 'forever' },
    headers: admin,
    keep: ({ id }: { id: string }) => ({
      what: `post ${number}`,
      path: `${path}/boards/jobs/posts/${id}`,
      headers: admin,
      isThere: (body) => body?.post?.title === `Post ${number}`,
    }),
  },
  {
    to: '/team',
    body: { id: `kept-${number}`, name: 'Kept', description: 'One of many.', body: 'Say little.' },
    headers: {},
    keep: () => ({
      what: `member kept-${number}`,
      path: `/team/kept-${number}`,
      isThere: (body) => body?.id === `kept-${number}`,
    }),
  },
  {
    to: '/v1/clusters',
    body: { name: `Kept ${number}` },
    headers: {},
    keep: ({ cluster_id, admin_token }: { cluster_id: string; admin_token: string }) => ({
      what: `cluster ${number}`,
      path: `/v1/clusters/${cluster_id}`,
      headers: { 'x-cluster-token': admin_token },
      isThere: (body) => body?.cluster?.name === `Kept ${number}`,
    }),
  },
  {
    to: '/conversations',
    body: { member: 'consultant', title: `Talk ${number}` },
    headers: {},
    keep: ({ conv }: { conv: string }) => ({
      what: `conversation ${number}`,
      path: `/conversations/${conv}`,
      isThere: (body) => body?.title === `Talk ${number}`,
    }),
  },
];

/**
 * Creates several records of each kind. Returns the acknowledged ones. Responses other than success or a rejection by
 * the store are added to `faults`.
 */
async function work(
  daemon: DaemonProcess,
  cluster: BoardsCluster,
  faults: string[],
): Promise<{ kept: RecordedCall[]; refused: number }> {
  const kept: RecordedCall[] = [];
  let refused = 0;
  for (let number = 1; number <= ROUNDS; number += 1) {
    for (const { to, body, headers, keep } of listCreations(number, cluster)) {
      const answer = await callHttp(daemon.address, 'POST', to, body, headers);
      if (answer && answer.status < 300) kept.push(keep(answer.body as never));
      else if (answer && REFUSED.includes(answer.status)) refused += 1;
      else
        faults.push(
          `POST ${to}: ` +
            `${answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body).slice(0, 120)}`}`,
        );
    }
  }
  return { kept, refused };
}

interface Run {
  faults: string[];
  lost: string[];
  wasHit: boolean;
  refused: number;
}

async function run(project: DrillProject, fault: Fault): Promise<Run> {
  const faults: string[] = [];
  const trace = join(project.root, '.trace');
  // strace counts the calls of each thread separately. With a single file-system thread the n-th call is well defined.
  let daemon = await project.start({ UV_THREADPOOL_SIZE: '1' });
  const cluster = await clusterWithBoards(daemon, ['jobs']);
  const strace = await inject(daemon, trace, fault);
  const { kept, refused } = await work(daemon, cluster, faults);
  if (strace.exitCode === null && strace.signalCode === null) {
    const ended = once(strace, 'exit');
    strace.kill('SIGTERM');
    await ended;
  }
  const health = await callHttp(daemon.address, 'GET', '/health');
  if (health?.status !== 200) faults.push(`/health afterwards: ${health?.status ?? 'no answer'}`);
  await daemon.kill();
  daemon = await project.start();
  const lost: string[] = [];
  for (const { what, path, headers, isThere } of kept) {
    const answer = await callHttp(daemon.address, 'GET', path, undefined, headers);
    if (answer?.status !== 200 || !isThere(answer.body)) lost.push(`${what}: ${answer?.status}`);
  }
  await daemon.stop();
  const wasHit = existsSync(trace) && readFileSync(trace, 'utf8').includes('(INJECTED)');
  return { faults, lost, wasHit, refused };
}

await runDrill('failing-calls', async (drill) => {
  if (!mayTrace(drill, 'strace has the calls fail')) return;
  const faults: string[] = [];
  const lost: string[] = [];
  let [hit, refused] = [0, 0];
  const kinds = FAULTS.flatMap(([call, errors, nthMax]) => errors.map((error) => ({ call, error, nthMax })));
  for (let number = 0; number < drill.bound('runs'); number += 1) {
    const { call, error, nthMax } = kinds[number % kinds.length] as (typeof kinds)[number];
    // Alternates: the whole list with a single failure, then the whole list with a lasting failure.
    const lasts = Math.floor(number / kinds.length) % 2 === 1;
    const fault = { call, error, when: `${1 + drill.dice.below(nthMax)}${lasts ? '+' : ''}` };
    const of = await run(drill.project(), fault).catch(
      (reason: unknown): Run => ({ faults: [String(reason)], lost: [], wasHit: true, refused: 0 }),
    );
    const name = `${call} ${fault.when} ${error}`;
    faults.push(...of.faults.map((fault) => `${name}: ${fault}`));
    lost.push(...of.lost.map((one) => `${name}: ${one}`));
    hit += of.wasHit ? 1 : 0;
    refused += of.refused;
  }
  drill.none(
    'records acknowledged and lost',
    'records',
    lost,
    `${refused} requests refused in ${drill.bound('runs')} runs`,
  );
  drill.none('answers that are neither done nor a refusal of the store, and daemons that went', 'answers', faults);
  // If no call failed, the drill has tested nothing.
  drill.measure({
    measure: `runs in which a call failed, of ${drill.bound('runs')}`,
    value: hit,
    unit: 'runs',
    atLeast: Math.ceil(drill.bound('runs') * 0.75),
  });
});
