import { describe, expect, it, onTestFinished } from 'vitest';
import type { KnowledgeStatus } from '../../../contract/system.js';
import { temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import { LocalKnowledge } from '../../knowledge/local-knowledge.js';
import type { Turn, TurnEvent } from '../client.js';
import { BuiltinClient } from './builtin-client.js';

function aTurn(text: string): Turn {
  const member = {
    id: 'consultant',
    name: 'Consultant',
    body: '',
    model: 'builtin',
    effort: 'default',
    tools: [],
    refs: [],
    limits: { turns: 1, minutes: 1 },
  };
  return {
    conv: 'conv-1',
    turn: 'turn-1',
    member,
    text,
    context_docs: [],
    profile: 'outside',
    session: null,
    history: [],
  };
}

function aClient(): BuiltinClient {
  const root = temporaryRepository({
    'docs/anchors.md': '# Anchors\n\nAnchor chains are inspected every spring by the harbour office.\n',
  });
  const knowledge = new LocalKnowledge(root, temporaryFolder(), { PATH: process.env['PATH'] });
  onTestFinished(() => knowledge.close());
  return new BuiltinClient(knowledge);
}

async function collect(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const toText = (events: readonly TurnEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

it('reports the progress of the index, streams the answer in pieces and ends with checked citations', async () => {
  const events = await collect(aClient().run(aTurn('When are anchor chains inspected?'), new AbortController().signal));
  expect(events.filter((event) => event.type === 'progress').length).toBeGreaterThan(0);
  expect(events.filter((event) => event.type === 'text').length).toBeGreaterThan(1);
  expect(toText(events)).toContain('every spring');
  expect(toText(events)).toContain('no model was used');
  expect(events.at(-1)).toMatchObject({
    type: 'end',
    citations: [{ path: 'docs/anchors.md', status: 'checked' }],
    search: { confidence: 'found', searched: { files: 1, left_out: 0 }, total: 1 },
  });
});

it('answers that nothing was found, without citations', async () => {
  const events = await collect(
    aClient().run(aTurn('Which GraphQL gateway is deployed?'), new AbortController().signal),
  );
  expect(toText(events)).toMatch(/^Not found in this project\./);
  expect(events.at(-1)).toEqual({
    type: 'end',
    citations: [],
    search: { confidence: 'none', searched: { files: 1, left_out: 0 }, total: 0 },
    trace: expect.objectContaining({ source: 'text', candidates: [] }),
  });
});

it('throws an AbortError when its signal has fired', async () => {
  await expect(collect(aClient().run(aTurn('anchors'), AbortSignal.abort()))).rejects.toMatchObject({
    name: 'AbortError',
  });
});

it('is ready without a model, an effort or a key', async () => {
  const client = aClient();
  expect([await client.probe(), client.models(), client.efforts()]).toEqual([
    { ready: true, reason: null },
    ['builtin'],
    [],
  ]);
});

describe('the built-in search', () => {
  type Answers = ConstructorParameters<typeof BuiltinClient>[0];
  type Answer = Awaited<ReturnType<Answers['answer']>>;

  const searched = { files: 3, left_out: 0 };
  const found: Answer = { text: 'One.\n\nTwo.', citations: [], confidence: 'found', searched };
  const citation = { path: 'a.md', start_line: 1, end_line: 1 } as unknown as Answer['citations'][number];

  /** The client over an index that the test moves. */
  function overIndex(answering: () => Promise<Answer> = async () => found) {
    const index = {
      status: { state: 'ready', files_done: 0, files_total: 0 } as KnowledgeStatus,
      listeners: new Set<(status: KnowledgeStatus) => void>(),
      asked: [] as unknown[],
      checked: [] as unknown[],
    };
    const knowledge: Answers = {
      status: () => index.status,
      onStatus: (listener) => {
        index.listeners.add(listener);
        return () => void index.listeners.delete(listener);
      },
      answer: (question) => {
        index.asked.push(question);
        return answering();
      },
      check: async (citations, profile) => {
        index.checked.push(profile);
        return citations.map((one) => ({ ...one, status: 'checked' }));
      },
    };
    const set = (state: string, files_done: number) => {
      index.status = { ...index.status, state, files_done, files_total: 9 } as KnowledgeStatus;
      for (const listener of index.listeners) listener(index.status);
    };
    return { client: new BuiltinClient(knowledge), index, set };
  }

  const signal = new AbortController().signal;

  it('asks for what the member knows of, and checks what it cites for who asked', async () => {
    const { client, index } = overIndex(async () => ({ ...found, citations: [citation, citation], total: 7 }));
    const turn = aTurn('Why?');
    const context_docs = [{ filename: 'b.md', content: 'B' }];
    const events = await collect(
      client.run({ ...turn, context_docs, member: { ...turn.member, refs: ['c.md'] } }, signal),
    );
    expect(index.asked).toEqual([{ text: 'Why?', context_docs, refs: ['c.md'], profile: 'outside', signal }]);
    expect(index.checked).toEqual(['outside']);
    const checked = { ...citation, status: 'checked' };
    expect(events).toEqual([
      { type: 'text', text: 'One.\n\n' },
      { type: 'text', text: 'Two.' },
      { type: 'end', citations: [checked, checked], search: { confidence: 'found', searched, total: 7 } },
    ]);
  });

  it('counts what it cites where the search does not count, and has a trace where there is one', async () => {
    const trace = { source: 'text' } as unknown as NonNullable<Answer['trace']>;
    const { client } = overIndex(async () => ({ ...found, citations: [citation], trace }));
    expect((await collect(client.run(aTurn('Why?'), signal))).at(-1)).toMatchObject({ search: { total: 1 }, trace });
  });

  it.each([
    ['One.\nMore.\n\n\nTwo.\n\n', ['One.\nMore.\n\n\n', 'Two.\n\n']],
    ['One.\n\nTwo.\n\n Three.', ['One.\n\n', 'Two.\n\n Three.']],
    ['One.', ['One.']],
  ])('answers in paragraphs: %j', async (text, pieces) => {
    const { client } = overIndex(async () => ({ ...found, text }));
    const events = await collect(client.run(aTurn('Why?'), signal));
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(pieces);
  });

  it('tells the progress of the index, each step once, until it answers', async () => {
    let answer: (found: Answer) => void = () => undefined;
    const { client, index, set } = overIndex(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    set('indexing', 1);
    const events: TurnEvent[] = [];
    const running = (async () => {
      for await (const event of client.run(aTurn('Why?'), signal)) events.push(event);
    })();
    for (const [state, done] of [
      ['indexing', 1],
      ['indexing', 2],
      ['ready', 3],
      ['indexing', 3],
    ] as const) {
      await new Promise(setImmediate);
      set(state, done);
    }
    await new Promise(setImmediate);
    answer(found);
    await running;
    const progress = (done: number) => ({ type: 'progress', stage: 'indexing', done, total: 9 });
    expect(events.slice(0, -3)).toEqual([progress(1), progress(2), progress(3)]);
    expect(index.listeners.size).toBe(0);
  });

  it('does not wait for an index that was read while its progress was looked at', async () => {
    let answer: (found: Answer) => void = () => undefined;
    const { client, set } = overIndex(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    set('indexing', 1);
    const types: string[] = [];
    for await (const { type } of client.run(aTurn('Why?'), signal)) {
      types.push(type);
      if (type !== 'progress') continue;
      answer(found);
      await new Promise(setImmediate);
    }
    expect(types).toEqual(['progress', 'text', 'text', 'end']);
  });

  it('stops between its pieces, and before its end', async () => {
    for (const words of ['One.\n\n', 'Two.']) {
      const off = new AbortController();
      const { client } = overIndex();
      const seen: string[] = [];
      const run = async () => {
        for await (const event of client.run(aTurn('Why?'), off.signal)) {
          if (event.type !== 'text') continue;
          seen.push(event.text);
          if (event.text === words) off.abort(new Error('stopped'));
        }
      };
      await expect(run()).rejects.toThrow('stopped');
      expect(seen.at(-1)).toBe(words);
    }
  });

  it('fails with its search, and asks nothing in a turn that was stopped', async () => {
    const { client, index } = overIndex(() => Promise.reject(new Error('The index is gone.')));
    await expect(collect(client.run(aTurn('Why?'), AbortSignal.abort(new Error('early'))))).rejects.toThrow('early');
    expect(index.asked).toEqual([]);
    await expect(collect(client.run(aTurn('Why?'), signal))).rejects.toThrow('The index is gone.');
    expect(index.listeners.size).toBe(0);
  });

  it.each([
    [{ state: 'failed', message: 'The disk is full.' }, false, 'The disk is full.'],
    [{ state: 'failed' }, false, 'The index of this project cannot be built.'],
    [{ state: 'indexing', message: 'Left out.' }, true, null],
  ])('is ready unless its index failed: %j', async (status, ready, reason) => {
    const { client, index } = overIndex();
    index.status = status as KnowledgeStatus;
    expect(await client.probe()).toEqual({ ready, reason });
  });
});
