/**
 * Calls of the system fail in a daemon at work: the n-th write into its log of records, flush, rename or opening of a file since it was ready, or that one and all after it, as a failing disk,
 * a full one, a table of files that is full or a right that is gone would have it. Every request is answered, by what was done or by a refusal that names what could not be had; the daemon goes
 * on; what it acknowledged is there when it is started again without the fault. Where it cannot be looked up who is connecting, nobody is let in, and told to come again. Needs strace and leave to trace; Linux only.
 * `npx tsx scripts/hard/failing-calls.ts [--runs 52] [--seed 1]`, a second and a half a run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { type BoardsCluster, clusterWithBoards } from './boards.js';
import { mayTrace, runDrill, until } from './drill.js';
import { callOf } from './http-call.js';
import type { DrillProject } from './project.js';

/** What fails, as what, and which of them since the daemon was ready may be the first: as many as the work makes for sure. */
const FAULTS: readonly (readonly [call: string, errors: readonly string[], nthMax: number])[] = [
  ['pwrite64', ['EIO', 'ENOSPC'], 30],
  ['fdatasync', ['EIO', 'ENOSPC'], 15],
  ['fsync', ['EIO', 'ENOSPC'], 15],
  ['rename', ['EIO', 'ENOSPC', 'EACCES'], 8],
  ['openat', ['EIO', 'EMFILE', 'EACCES', 'ENOSPC'], 30],
];
const ROUNDS = 8;
const ATTACHED_MS = 10_000;
/** What may be answered when the system did not do its part: `no_space`, `store_readonly` and `overloaded`. */
const REFUSED = [503, 507];

interface Kept {
  what: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  /** Whether the answer has what was acknowledged. */
  // biome-ignore lint/suspicious/noExplicitAny: the wire.
  isThere: (body: any) => boolean;
}

/** One kind of call that fails: as what, and when, in strace's words. */
interface Fault {
  call: string;
  error: string;
  when: string;
}

/** A program that has such calls fail, once it holds every thread of the daemon. */
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

/** One of everything that is kept, twice over; gives what was acknowledged, and adds answers that are neither that nor a refusal of the store to `faults`. */
async function work(
  daemon: DaemonProcess,
  { path, admin }: BoardsCluster,
  faults: string[],
): Promise<{ kept: Kept[]; refused: number }> {
  const kept: Kept[] = [];
  let refused = 0;
  const send = async (
    method: string,
    to: string,
    body: object,
    headers: Readonly<Record<string, string>>,
    keep: (body: never) => Kept,
  ) => {
    const answer = await callOf(daemon.address, method, to, body, headers);
    if (answer && answer.status < 300) kept.push(keep(answer.body as never));
    else if (answer && REFUSED.includes(answer.status)) refused += 1;
    else
      faults.push(
        `${method} ${to}: ${answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body).slice(0, 120)}`}`,
      );
  };
  for (let number = 1; number <= ROUNDS; number += 1) {
    await send(
      'POST',
      `${path}/boards/jobs/posts?agent=ada`,
      { title: `Post ${number}`, body: 'x', ttl: 'forever' },
      admin,
      ({ id }: { id: string }) => ({
        what: `post ${number}`,
        path: `${path}/boards/jobs/posts/${id}`,
        headers: admin,
        isThere: (body) => body?.post?.title === `Post ${number}`,
      }),
    );
    await send(
      'POST',
      '/team',
      { id: `kept-${number}`, name: 'Kept', description: 'One of many.', body: 'Say little.' },
      {},
      () => ({
        what: `member kept-${number}`,
        path: `/team/kept-${number}`,
        isThere: (body) => body?.id === `kept-${number}`,
      }),
    );
    await send(
      'POST',
      '/v1/clusters',
      { name: `Kept ${number}` },
      {},
      ({ cluster_id, admin_token }: { cluster_id: string; admin_token: string }) => ({
        what: `cluster ${number}`,
        path: `/v1/clusters/${cluster_id}`,
        headers: { 'x-cluster-token': admin_token },
        isThere: (body) => body?.cluster?.name === `Kept ${number}`,
      }),
    );
    await send(
      'POST',
      '/conversations',
      { member: 'consultant', title: `Talk ${number}` },
      {},
      ({ conv }: { conv: string }) => ({
        what: `conversation ${number}`,
        path: `/conversations/${conv}`,
        isThere: (body) => body?.title === `Talk ${number}`,
      }),
    );
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
  // strace counts the calls of each thread by itself: with one for files, the n-th is the n-th.
  let daemon = await project.start({ UV_THREADPOOL_SIZE: '1' });
  const cluster = await clusterWithBoards(daemon, ['jobs']);
  const strace = await inject(daemon, trace, fault);
  const { kept, refused } = await work(daemon, cluster, faults);
  if (strace.exitCode === null && strace.signalCode === null) {
    const ended = once(strace, 'exit');
    strace.kill('SIGTERM');
    await ended;
  }
  const health = await callOf(daemon.address, 'GET', '/health');
  if (health?.status !== 200) faults.push(`/health afterwards: ${health?.status ?? 'no answer'}`);
  await daemon.kill();
  daemon = await project.start();
  const lost: string[] = [];
  for (const { what, path, headers, isThere } of kept) {
    const answer = await callOf(daemon.address, 'GET', path, undefined, headers);
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
    // The whole list once with a single failure, then once with one that lasts, and so on.
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
  // Calls that never failed would have tried nothing.
  drill.measure({
    measure: `runs in which a call failed, of ${drill.bound('runs')}`,
    value: hit,
    unit: 'runs',
    atLeast: Math.ceil(drill.bound('runs') * 0.75),
  });
});
