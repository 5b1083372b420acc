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

function getKnowledge(entry: URL, clock?: FakeClock): WorkerKnowledge {
  const knowledge = new WorkerKnowledge(
    entry,
    temporaryRepository(ANCHORS),
    temporaryFolder(),
    { PATH: process.env['PATH'] },
    clock,
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

  it('is not restarted when it keeps exiting', async () => {
    const knowledge = getKnowledge(inline('process.exit(1)'), new FakeClock());
    for (let death = 0; death < 6; death += 1)
      await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded' });
    expect(knowledge.status()).toMatchObject({ state: 'failed', message: expect.stringContaining('keeps stopping') });
  });
});
