import { expect, it, onTestFinished } from 'vitest';
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
