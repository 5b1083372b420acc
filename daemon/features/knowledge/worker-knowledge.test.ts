import { describe, expect, it, onTestFinished } from 'vitest';
import { isMeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { WorkerKnowledge } from './worker-knowledge.js';

/** The worker's source by way of a loader, as its bundle would be. */
const ENTRY = new URL(
  `data:text/javascript,${encodeURIComponent(
    `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register(); await import(${JSON.stringify(new URL('./knowledge-worker.ts', import.meta.url).href)});`,
  )}`,
);
const CLOSES = `if (m.call === 'close') parentPort.postMessage({ type: 'done', id: m.id, take: null });`;
const inline = (code: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`);
const ANCHORS = { 'docs/anchors.md': '# Anchors\n\nAnchor chains are inspected every spring by the harbour office.\n' };

function knowledgeOf(entry: URL, clock?: FakeClock): WorkerKnowledge {
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

describe('in a worker', () => {
  it('answers, checks, reads lines and tells how far it is', async () => {
    const knowledge = knowledgeOf(ENTRY);
    const states: string[] = [];
    knowledge.onStatus((status) => states.push(status.state));
    knowledge.start();
    const answer = await knowledge.answer({ text: 'When are anchor chains inspected?', context_docs: [], refs: [] });
    expect(answer.citations[0]).toMatchObject({ path: 'docs/anchors.md', status: 'checked' });
    expect(await knowledge.check(answer.citations)).toEqual(answer.citations);
    expect((await knowledge.readLines('docs/anchors.md', 1, 1)).lines).toEqual(['# Anchors']);
    expect(await knowledge.findPaths('anch', 5)).toEqual(['docs/anchors.md']);
    await knowledge.rescan();
    expect(states.at(-1)).toBe('ready');
    expect(knowledge.status()).toMatchObject({ state: 'ready', files_total: 1 });
  });

  it('hands errors over with their code', async () => {
    const refused = await knowledgeOf(ENTRY)
      .readLines('../x')
      .catch((error: unknown) => error);
    expect(isMeshError(refused, 'not_found')).toBe(true);
  });

  it('closes while it works, and again', async () => {
    const knowledge = knowledgeOf(ENTRY);
    const asked = knowledge.answer({ text: 'anchors' }).catch((error: unknown) => error);
    await knowledge.close();
    await knowledge.close();
    await asked;
    await expect(knowledge.check([])).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('ends a question when its signal fires', async () => {
    const knowledge = knowledgeOf(inline(`parentPort.on('message', (m) => { ${CLOSES} });`));
    const abort = new AbortController();
    const asked = knowledge.answer({ text: 'anchors', signal: abort.signal });
    abort.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

it('stops a worker that does not close in time', async () => {
  const clock = new FakeClock();
  const knowledge = knowledgeOf(inline(`parentPort.on('message', () => {});`), clock);
  const asked = knowledge.rescan().catch((error: unknown) => error);
  const closing = knowledge.close();
  clock.advance(2_000);
  await closing;
  expect(isMeshError(await asked, 'overloaded')).toBe(true);
});

describe('a worker that dies', () => {
  const DIES_ON_ANSWER = inline(
    `parentPort.on('message', (m) => { if (m.call === 'answer') process.exit(3); else parentPort.postMessage({ type: 'done', id: m.id, take: null }); });`,
  );

  it('rejects what was asked of it, and the next one answers', async () => {
    const knowledge = knowledgeOf(DIES_ON_ANSWER, new FakeClock());
    await expect(knowledge.answer({ text: 'anchors' })).rejects.toMatchObject({ code: 'overloaded' });
    expect(knowledge.status().state).toBe('indexing');
    await expect(knowledge.rescan()).resolves.toBeUndefined();
  });

  it('is started again after a while', async () => {
    const clock = new FakeClock();
    const knowledge = knowledgeOf(
      inline(
        `parentPort.on('message', (m) => { ${CLOSES} if (m.call === 'answer') process.exit(3); parentPort.postMessage({ type: 'status', status: { state: 'ready', files_done: 0, files_total: 0, passages: 0, bytes: 0, commit: null } }); });`,
      ),
      clock,
    );
    await expect(knowledge.answer({ text: 'anchors' })).rejects.toMatchObject({ code: 'overloaded' });
    const ready = new Promise<void>((resolve) => knowledge.onStatus((status) => status.state === 'ready' && resolve()));
    clock.advance(1_000);
    await ready;
  });

  it('stays down when it keeps dying', async () => {
    const knowledge = knowledgeOf(inline('process.exit(1)'), new FakeClock());
    for (let death = 0; death < 6; death += 1)
      await expect(knowledge.rescan()).rejects.toMatchObject({ code: 'overloaded' });
    expect(knowledge.status()).toMatchObject({ state: 'failed', message: expect.stringContaining('keeps stopping') });
  });
});
