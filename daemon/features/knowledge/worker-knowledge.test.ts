import { describe, expect, it, onTestFinished } from 'vitest';
import { isMeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { WorkerKnowledge } from './worker-knowledge.js';

/** Loads the worker's TypeScript source through a loader, instead of its bundle. */
const ENTRY = new URL(
  `data:text/javascript,${encodeURIComponent(
    `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register(); await import(${JSON.stringify(new URL('./knowledge-worker.ts', import.meta.url).href)});`,
  )}`,
);
const CLOSES = `if (m.call === 'close') parentPort.postMessage({ type: 'done', id: m.id, take: null });`;
const inline = (code: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`);
const ANCHORS = { 'docs/anchors.md': '# Anchors\n\nAnchor chains are inspected every spring by the harbour office.\n' };

function getKnowledge(entry: URL, clock?: FakeClock, onFault?: (error: unknown) => void): WorkerKnowledge {
  const knowledge = new WorkerKnowledge(
    entry,
    temporaryRepository(ANCHORS),
    temporaryFolder(),
    { PATH: process.env['PATH'] },
    clock,
    onFault,
  );
  onTestFinished(() => knowledge.close());
  return knowledge;
}

describe('WorkerKnowledge', () => {
  it('answers, checks citations, reads lines and reports its status', async () => {
    const knowledge = getKnowledge(ENTRY);
    const states: string[] = [];
    knowledge.onStatus((status) => states.push(status.state));
    knowledge.start();
    const answer = await knowledge.answer({ text: 'When are anchor chains inspected?', context_docs: [], refs: [] });
    expect(answer.citations[0]).toMatchObject({ path: 'docs/anchors.md', status: 'checked' });
    expect(await knowledge.check(answer.citations)).toEqual(answer.citations);
    expect(await knowledge.recheck(answer.citations)).toEqual(answer.citations);
    expect(answer.searched).toEqual({ files: 1, left_out: 0 });
    expect((await knowledge.readLines('docs/anchors.md', 1, 1)).lines).toEqual(['# Anchors']);
    expect(await knowledge.findPaths('anch', 5)).toEqual(['docs/anchors.md']);
    await knowledge.rescan();
    expect(states.at(-1)).toBe('ready');
    expect(knowledge.status()).toMatchObject({ state: 'ready', files_total: 1 });
  });

  it('transfers errors with their code', async () => {
    const refused = await getKnowledge(ENTRY)
      .readLines('../x')
      .catch((error: unknown) => error);
    expect(isMeshError(refused, 'not_found')).toBe(true);
  });

  it('can be closed while it works, repeatedly', async () => {
    const knowledge = getKnowledge(ENTRY);
    const asked = knowledge.answer({ text: 'anchors' }).catch((error: unknown) => error);
    await knowledge.close();
    await knowledge.close();
    await asked;
    await expect(knowledge.check([])).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('rejects a question when its signal fires', async () => {
    const knowledge = getKnowledge(inline(`parentPort.on('message', (m) => { ${CLOSES} });`));
    const abort = new AbortController();
    const asked = knowledge.answer({ text: 'anchors', signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

/** Returns what arrives as the result of each call, and closes when it is told to. */
const ECHOES = inline(
  "parentPort.on('message', (m) => parentPort.postMessage({ type: 'done', id: m.id, take: [m.call, m.give] }));",
);

describe('a call', () => {
  const call = <Result>(run: (knowledge: WorkerKnowledge) => Promise<Result>) =>
    run(getKnowledge(ECHOES, new FakeClock()));
  const cited: Parameters<WorkerKnowledge['check']>[0] = [
    { path: 'a', start_line: 1, end_line: 1, commit: null, sha256: 'x', quote: 'x', status: 'checked' },
  ];

  it.each<[string, (knowledge: WorkerKnowledge) => Promise<unknown>, unknown]>([
    ['answer', (one) => one.answer({ text: 'x', refs: ['y'] }), { text: 'x', refs: ['y'] }],
    ['answer', (one) => one.answer({ text: 'x', signal: new AbortController().signal }), { text: 'x' }],
    ['check', (one) => one.check(cited, 'outside'), { citations: cited, profile: 'outside' }],
    ['recheck', (one) => one.recheck(cited, 'outside'), { citations: cited, profile: 'outside' }],
    ['readLines', (one) => one.readLines('a', 2, 3, 'outside'), { path: 'a', start: 2, end: 3, profile: 'outside' }],
    ['findCode', (one) => one.findCode('env', 'x', 'outside'), { query: 'env', name: 'x', profile: 'outside' }],
    ['findPaths', (one) => one.findPaths('x', 2, 'outside'), { words: 'x', limit: 2, profile: 'outside' }],
    ['findNames', (one) => one.findNames('x', 2, 'outside'), { text: 'x', limit: 2, profile: 'outside' }],
  ])('`%s` reaches the worker with all that it was given', async (name, run, give) => {
    expect(await call(run)).toEqual([name, give]);
  });

  it('`rescan` returns nothing', async () => expect(await call((one) => one.rescan())).toBeUndefined());

  it('gets its own result, whatever the order', async () => {
    const knowledge = getKnowledge(
      inline(
        `const all = []; parentPort.on('message', (m) => { ${CLOSES} all.push(m); if (all.length === 3) for (const one of ` +
          "all.reverse()) parentPort.postMessage({ type: 'done', id: one.id, take: one.give.words }); });",
      ),
      new FakeClock(),
    );
    const found = ['a', 'b', 'c'].map((words) => knowledge.findPaths(words, 1));
    expect(await Promise.all(found)).toEqual(['a', 'b', 'c']);
  });

  it('that fails has the message and details of its error', async () => {
    const error = { code: 'bad_request', message: 'No.', details: { path: 'name' } };
    const knowledge = getKnowledge(
      inline(
        `parentPort.on('message', (m) => { ${CLOSES} parentPort.postMessage({ type: 'failed', id: m.id, error: ` +
          `${JSON.stringify(error)} }); });`,
      ),
      new FakeClock(),
    );
    await expect(knowledge.check([])).rejects.toMatchObject(error);
    expect(() => knowledge.start()).not.toThrow();
  });

  it('that fails by a fault tells the log of it', async () => {
    const fault = { name: 'TypeError', message: 'x', stack: 'TypeError: x\n    at y' };
    const failed = { type: 'failed', error: { code: 'internal', message: 'No.', details: {} }, fault };
    const faults: unknown[] = [];
    const knowledge = getKnowledge(
      inline(
        `parentPort.on('message', (m) => { ${CLOSES} parentPort.postMessage({ id: m.id, ...${JSON.stringify(failed)} }); });`,
      ),
      new FakeClock(),
      (error) => faults.push({ ...(error as Error), stack: (error as Error).stack }),
    );
    await expect(knowledge.check([])).rejects.toMatchObject({ code: 'internal', message: 'No.' });
    expect(faults).toEqual([fault]);
  });

  it('is refused with a signal that fired before, and starts no worker', async () => {
    const knowledge = getKnowledge(inline('throw new Error();'), new FakeClock());
    const states: string[] = [];
    knowledge.onStatus(({ state }) => states.push(state));
    await expect(knowledge.answer({ text: 'x', signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
    await knowledge.close();
    expect(states).toEqual([]);
    expect(knowledge.status()).toMatchObject({ state: 'idle', files_total: 0 });
  });

  it('finds a worker without the environment of the daemon, and with what it needs', async () => {
    const knowledge = getKnowledge(
      inline(
        "import { workerData } from 'node:worker_threads'; parentPort.on('message', (m) => parentPort.postMessage({ type: " +
          "'done', id: m.id, take: [Object.keys(process.env), Object.keys(workerData), workerData.environment] }));",
      ),
      new FakeClock(),
    );
    expect(await knowledge.check([])).toEqual([[], ['root', 'state', 'environment'], { PATH: process.env['PATH'] }]);
  });
});

it('status changes reach each listener until it leaves', async () => {
  const knowledge = getKnowledge(
    inline(
      `parentPort.on('message', (m) => { ${CLOSES} parentPort.postMessage({ type: 'status', status: { state: m.give.words ` +
        "} }); parentPort.postMessage({ type: 'done', id: m.id, take: [] }); });",
    ),
    new FakeClock(),
  );
  const seen: string[] = [];
  const leave = knowledge.onStatus(({ state }) => seen.push(`a ${state}`));
  knowledge.onStatus(({ state }) => seen.push(`b ${state}`));
  await knowledge.findPaths('indexing', 1);
  leave();
  await knowledge.findPaths('ready', 1);
  expect(seen).toEqual(['a indexing', 'b indexing', 'b ready']);
  expect(knowledge.status()).toEqual({ state: 'ready' });
});

it('says that the daemon is shutting down once it is closed', async () => {
  const closed = { code: 'overloaded', message: 'The daemon is shutting down.' };
  const knowledge = getKnowledge(inline(`parentPort.on('message', (m) => { ${CLOSES} });`), new FakeClock());
  const asked = expect(knowledge.check([])).rejects.toMatchObject(closed);
  await knowledge.close();
  await asked;
  await expect(knowledge.rescan()).rejects.toMatchObject(closed);
  expect(knowledge.status().state).toBe('idle');
});

it('is closed when the worker exits instead', async () => {
  const knowledge = getKnowledge(inline("parentPort.on('message', () => process.exit(0));"), new FakeClock());
  const states: string[] = [];
  knowledge.onStatus(({ state }) => states.push(state));
  const asked = expect(knowledge.check([])).rejects.toMatchObject({ message: expect.stringContaining('again') });
  await asked;
  knowledge.check([]).catch(() => undefined);
  await knowledge.close();
  expect(states).toEqual(['indexing']);
});

it('terminates a worker that does not close in time', async () => {
  const clock = new FakeClock();
  const knowledge = getKnowledge(inline(`parentPort.on('message', () => {});`), clock);
  const asked = knowledge.rescan().catch((error: unknown) => error);
  const closing = knowledge.close();
  clock.advance(2_000);
  await closing;
  expect(isMeshError(await asked, 'overloaded')).toBe(true);
});

describe('a worker that exits unexpectedly', () => {
  const DIES_ON_ANSWER = inline(
    "parentPort.on('message', (m) => { if (m.call === 'answer') process.exit(3); else parentPort.postMessage({ " +
      "type: 'done', id: m.id, take: null }); });",
  );

  it('rejects its pending calls, and the next call uses a new worker', async () => {
    const knowledge = getKnowledge(DIES_ON_ANSWER, new FakeClock());
    await expect(knowledge.answer({ text: 'anchors' })).rejects.toMatchObject({ code: 'overloaded' });
    expect(knowledge.status().state).toBe('indexing');
    await expect(knowledge.rescan()).resolves.toBeUndefined();
  });

  it('is restarted after a back-off', async () => {
    const clock = new FakeClock();
    const knowledge = getKnowledge(
      inline(
        `parentPort.on('message', (m) => { ${CLOSES} if (m.call === 'answer') process.exit(3); ` +
          "parentPort.postMessage({ type: 'status', status: { state: 'ready', files_done: 0, files_total: 0, " +
          'passages: 0, bytes: 0, commit: null } }); });',
      ),
      clock,
    );
    await expect(knowledge.answer({ text: 'anchors' })).rejects.toMatchObject({ code: 'overloaded' });
    const ready = new Promise<void>((resolve) => knowledge.onStatus((status) => status.state === 'ready' && resolve()));
    clock.advance(1_000);
    await ready;
  });

  it('is restarted later the more often it exited, until it was ready', async () => {
    const clock = new FakeClock();
    const knowledge = getKnowledge(
      inline(
        `parentPort.on('message', (m) => { ${CLOSES} if (m.call === 'rescan') process.exit(3); if (m.call === 'check') ` +
          "parentPort.postMessage({ type: 'status', status: { state: 'ready' } }); });",
      ),
      clock,
    );
    const started: number[] = [];
    const plain = knowledge.start.bind(knowledge);
    knowledge.start = () => {
      started.push(clock.elapsed());
      plain();
    };
    const die = () => expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded' });
    const passed = (ms: number) => {
      started.length = 0;
      clock.advance(ms - 1);
      const early = started.length;
      clock.advance(1);
      return [early, started.length];
    };
    await die();
    expect(passed(500)).toEqual([0, 1]);
    await die();
    expect(passed(1_000)).toEqual([0, 1]);
    await die();
    const ready = new Promise<void>((resolve) => knowledge.onStatus(({ state }) => state === 'ready' && resolve()));
    knowledge.check([]).catch(() => undefined);
    await ready;
    expect(passed(1_500)).toEqual([0, 0]);
    await die();
    expect(passed(500)).toEqual([0, 1]);
    await die();
    await knowledge.close();
    expect(passed(5_000)).toEqual([0, 0]);
  });

  it.each<[string, string, unknown]>([
    ['an error', "throw new TypeError('x is no function')", new TypeError('x is no function')],
    ['an exit', 'process.exit(3)', new Error('The thread exited with 3.')],
  ])('tells the log of %s, each time', async (_, code, error) => {
    const faults: unknown[] = [];
    const knowledge = getKnowledge(inline(code), new FakeClock(), (fault) => faults.push(fault));
    for (let death = 0; death < 7; death += 1)
      await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded' });
    expect(faults).toEqual(Array(6).fill(error));
  });

  it('is not restarted when it keeps exiting', async () => {
    const clock = new FakeClock();
    const knowledge = getKnowledge(inline('process.exit(1)'), clock);
    const died = 'The search index stopped while it worked on this and is starting again: ask again.';
    const down =
      'The search index keeps stopping; see the log, remove `.mesh/state/knowledge.db` and restart the daemon.';
    for (let death = 0; death < 5; death += 1) {
      await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded', message: died });
      expect(knowledge.status()).toMatchObject({ state: 'indexing' });
      expect(knowledge.status()).not.toHaveProperty('message');
    }
    await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded', message: down });
    await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded', message: down });
    expect(knowledge.status().message).toBe(down);
    clock.advance(60_000);
    expect(knowledge.status()).toMatchObject({ state: 'failed', message: expect.stringContaining('keeps stopping') });
  });
});
