import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VectorCacheFile } from '../../../storage/database/vector-cache.js';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { StandInEmbeddings } from '../../../testing/stand-ins/embedding-endpoint.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import type { CatalogRow } from '../catalog-source.js';
import { createConstraints } from '../constraints.js';
import { SearchIndex } from '../search-index.js';
import { RelatedWords } from '../text/related-words.js';
import { Synonyms } from '../text/synonyms.js';
import { EmbeddedCatalog } from './embedded-catalog.js';
import { PROBE } from './embedding-batches.js';
import { EmbeddingEndpoint, parseVectors } from './embedding-endpoint.js';

/** The topics of this model: sea, kitchen and law; the last dimension is constant. */
const TOPICS = [/harbour|boat|mariner/i, /soup|oven|supper/i, /court|judge|solemn/i];
const computeVector = (text: string) => [...TOPICS.map((topic) => (topic.test(text) ? 1 : 0)), 0.1];

const aRow = (agentId: string, description: string): CatalogRow => ({ ...EMPTY_ROW, agentId, description });

const ROWS = [
  aRow('sailor', 'A boat for hire.'),
  aRow('cook', 'Soup of the day.'),
  aRow('clerk', 'Knows every judge.'),
];

async function staged({
  rows = ROWS,
  path = join(temporaryFolder(), 'embeddings.db'),
  apiKey,
  endpoint,
}: {
  rows?: CatalogRow[];
  path?: string;
  apiKey?: string;
  endpoint?: StandInEmbeddings;
} = {}) {
  const standIn = endpoint ?? (await StandInEmbeddings.start(computeVector));
  const clock = new FakeClock();
  const warnings: string[] = [];
  const kept = new Map(rows.map((row) => [row.agentId, row]));
  const cache = new VectorCacheFile(path);
  const embedded = new EmbeddedCatalog({
    endpoint: new EmbeddingEndpoint({ baseUrl: standIn.baseUrl, model: 'stand-in', apiKey }),
    cache,
    source: { find: (agentId) => kept.get(agentId) },
    clock,
    warn: (message) => void warnings.push(message),
  });
  onTestFinished(() => {
    embedded.stop();
    cache.close();
  });
  const anIndex = () => {
    const index = new SearchIndex({ synonyms: new Synonyms(''), relatedWords: new RelatedWords(() => '') }, new Map());
    for (const row of kept.values()) index.put(row.agentId, row, null);
    for (const _ of index.settle());
    return index;
  };
  const index = anIndex();
  const find = async (query: string, of = index) => {
    const vector = await embedded.query(query);
    const bearing = vector && of.embeddedBearing(vector);
    const found = of.find(query, createConstraints({}), 0, bearing).candidates;
    return {
      ids: found.sort((a, b) => b.semantic - a.semantic).map(({ agentId }) => agentId),
      isEmbedded: bearing !== undefined,
    };
  };
  return { standIn, clock, warnings, embedded, index, anIndex, kept, find, path, cache };
}

describe('vectors of an embedding endpoint', () => {
  it('find rows by similarities that the model has and no row contains', async () => {
    const { embedded, index, find, standIn } = await staged({ apiKey: 'key-of-the-operator' });
    embedded.follow(index);
    await embedded.settled();
    expect(await find('old mariner')).toEqual({ ids: ['sailor'], isEmbedded: true });
    expect(await find('a light supper')).toEqual({ ids: ['cook'], isEmbedded: true });
    expect(standIn.requests[0]).toMatchObject({ path: '/v1/embeddings', body: { model: 'stand-in' } });
    expect(standIn.requests[0]?.headers.authorization).toBe('Bearer key-of-the-operator');
  });

  it('are requested in batches, each text once, across restarts and new indexes', async () => {
    const rows = Array.from({ length: 150 }, (_, number) => aRow(`agent-${number}`, `Boat number ${number}.`));
    const first = await staged({ rows });
    first.embedded.follow(first.index);
    await first.embedded.settled();
    expect(first.standIn.requests.map(({ body }) => body.input.length)).toEqual([1, 64, 64, 22]);
    first.embedded.follow(first.anIndex());
    await first.embedded.settled();
    await first.find('harbour');
    await first.find('harbour');
    expect(first.standIn.texts.length).toBe(152);
    first.cache.close();
    const second = await staged({ rows, path: first.path, endpoint: first.standIn });
    second.embedded.follow(second.index);
    await second.embedded.settled();
    expect(second.standIn.texts.slice(152)).toEqual([PROBE]);
    expect((await second.find('harbour')).isEmbedded).toBe(true);
  });

  it('of new rows are fetched when the rows are added', async () => {
    const { embedded, index, kept, find } = await staged();
    embedded.follow(index);
    await embedded.settled();
    const fresh = aRow('ferry', 'Crosses the harbour.');
    kept.set('ferry', fresh);
    index.put('ferry', fresh, null);
    embedded.changed();
    await embedded.settled();
    expect((await find('mariner')).ids.sort()).toEqual(['ferry', 'sailor']);
  });
});

describe('an endpoint that fails', () => {
  it.each([
    ['a status', { status: 500 }, 'status 500'],
    ['something else', { raw: '<html>' }, 'could not be used'],
    ['too few vectors', { vectors: [] }, 'must hold'],
    ['a redirect', { redirect: 'http://127.0.0.1:1/' }, 'could not be used'],
  ])(
    'with %s makes searches use the catalog’s own vectors, logs one warning, and is retried after a minute',
    async (_name, reply, said) => {
      const { embedded, index, find, standIn, clock, warnings } = await staged();
      const works = standIn.reply;
      standIn.reply = () => reply;
      embedded.follow(index);
      await embedded.settled();
      expect(await find('boat')).toEqual({ ids: ['sailor'], isEmbedded: false });
      await find('soup');
      expect(warnings).toEqual([expect.stringContaining(said)]);
      expect(warnings[0]).toContain('own vectors');
      expect(standIn.requests.length).toBe(1);
      standIn.reply = works;
      clock.advance(60_000);
      await embedded.settled();
      expect(await find('old mariner')).toEqual({ ids: ['sailor'], isEmbedded: true });
    },
  );

  it('for a query makes that search use the catalog’s own vectors', async () => {
    const { embedded, index, find, standIn } = await staged();
    embedded.follow(index);
    await embedded.settled();
    await standIn.stop();
    expect(await find('boat')).toEqual({ ids: ['sailor'], isEmbedded: false });
  });
});

describe('a response of an endpoint', () => {
  const entry = (index: number, embedding: unknown) => ({ index, embedding });
  it.each([
    [{}],
    [null],
    [{ data: [entry(0, [1, 2])] }],
    [{ data: [entry(0, [1, 2]), entry(0, [1, 2])] }],
    [{ data: [entry(0, [1, 2]), entry(2, [1, 2])] }],
    [{ data: [entry(0, [1, 2]), entry(1, [1, 2, 3])] }],
    [{ data: [entry(0, [1, 'x']), entry(1, [1, 2])] }],
    [{ data: [entry(0, null), entry(0, [1, 2])] }],
    [{ data: [entry(0, [1]), entry(1, [1])] }],
    [{ data: [entry(0, Array(5000).fill(1)), entry(1, Array(5000).fill(1))] }],
    [{ data: [null, 'x'] }],
  ])('%# is rejected as not usable', (answer) => {
    expect(() => parseVectors(answer, 2)).toThrow('not usable');
  });

  it('is ordered by the index of each vector', () => {
    expect(
      parseVectors({ data: [entry(1, [3, 4]), entry(0, [1, 2])] }, 2).map((vector) => [...(vector ?? [])]),
    ).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

it.each([[[1, null]], [[1, Number.POSITIVE_INFINITY]], [[]], [null]])(
  'a response with %j for a text has no vector for it',
  (embedding) => {
    const data = [
      { index: 1, embedding },
      { index: 0, embedding: [1, 2] },
    ];
    expect(parseVectors({ data }, 2)).toEqual([Float32Array.from([1, 2]), undefined]);
  },
);

it('a damaged cache is replaced by an empty one', () => {
  const path = join(temporaryFolder(), 'embeddings.db');
  writeFileSync(path, 'not a database at all, but long enough to be read as one'.repeat(40));
  const cache = new VectorCacheFile(path);
  cache.put([['key', Float32Array.from([0.5, -1])]]);
  expect([...(cache.find('key') ?? [])]).toEqual([0.5, -1]);
  expect(cache.find('other')).toBeUndefined();
  cache.close();
});
