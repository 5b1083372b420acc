import { describe, expect, it } from 'vitest';
import { readRelatedWords } from '../../storage/word-data.js';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import type { CatalogRow } from './catalog-source.js';
import { createConstraints } from './constraints.js';
import { relevance } from './ranking.js';
import { SearchIndex } from './search-index.js';
import { RelatedWords } from './text/related-words.js';
import { Synonyms } from './text/synonyms.js';
import { VectorSpace } from './vectors/vector-space.js';

const NOW = Date.UTC(2026, 10, 21);

const aRow = (over: Partial<CatalogRow> & { agentId: string }): CatalogRow => ({
  ...EMPTY_ROW,
  lastSeenMs: NOW,
  ...over,
});

const ROWS = [
  aRow({
    agentId: 'lawyer',
    description: 'Reviews contracts and agreements for startups.',
    tags: ['law', 'liability'],
  }),
  aRow({
    agentId: 'cook',
    description: 'Suggests recipes for dinner.',
    tags: ['kitchen', 'geo:fr'],
    capabilities: ['recipe-search'],
  }),
  aRow({
    agentId: 'pilot',
    description: 'Compares flights and airfares.',
    category: 'travel.air',
    protocols: ['http', 'MCP'],
  }),
  aRow({
    agentId: 'painter',
    description: 'Paints pictures from words.',
    produces: ['image/png'],
    accepts: ['text/*'],
  }),
  aRow({
    agentId: 'courier',
    description: 'Tracks parcels and deliveries.',
    pricing: { unit: 'request', amount: 50, currency: 'USD' },
  }),
  aRow({ agentId: 'sleeper', description: 'Tracks parcels at night.', isOnline: false, country: 'DE' }),
];

/** The exposed member of a new project: it is in the catalog before any other agent. */
const CONSULTANT = aRow({
  agentId: 'consultant',
  name: 'Consultant',
  description:
    'Answers questions about this project from other programs and people, with facts that carry the file and lines ' +
    'they come from.',
  capabilities: ['docs', 'ask'],
});

function anIndex(rows: readonly CatalogRow[], { settled = true }: { settled?: boolean } = {}): SearchIndex {
  const index = new SearchIndex(
    { synonyms: new Synonyms(), relatedWords: new RelatedWords(readRelatedWords) },
    new Map([
      ['usd', 0.01],
      ['lamports', 1.5e-7],
    ]),
  );
  if (!settled) for (const _ of index.settle());
  for (const row of rows) index.put(row.agentId, row, null);
  if (settled) for (const _ of index.settle());
  return index;
}

const find = (index: SearchIndex, query: string, filters: Parameters<typeof createConstraints>[0] = {}) =>
  index
    .find(query, createConstraints(filters), NOW)
    .candidates.sort((a, b) => relevance(b) - relevance(a) || (a.agentId < b.agentId ? -1 : 1))
    .map(({ agentId }) => agentId);

describe.each([
  ['laid out', true],
  ['fresh', false],
])('rows that are %s', (_name, settled) => {
  it.each([
    ['contracts', 'lawyer'],
    ['reviewing a contract', 'lawyer'],
    ['recipe', 'cook'],
    ['travel', 'pilot'],
    ['liability', 'lawyer'],
    ['contarcts', 'lawyer'],
    ['recpies', 'cook'],
    ['airfraes', 'pilot'],
  ])('%j finds %s first', (query, agentId) => {
    expect(find(anIndex(ROWS, { settled }), query)[0]).toBe(agentId);
  });

  it.each([
    ['doctor', 'medic', 'Physician who explains symptoms and medication.'],
    ['doctor', 'clinic', 'Physician appointments at a medical clinic.'],
    ['car', 'garage', 'Repairs automobiles and tests brakes.'],
    ['draw a picture', 'illustrator', 'Creates illustrations and images from a description.'],
  ])('are found by everyday synonyms without an endpoint: %s, %s', (query, agentId, description) => {
    const index = anIndex([...ROWS.filter((row) => row.agentId !== 'painter'), CONSULTANT], { settled });
    index.put(agentId, aRow({ agentId, description }), null);
    expect(find(index, query)[0]).toBe(agentId);
  });

  it('are found before what shares only a rare synonym, or a letter of one, with the query', () => {
    const resizers = Array.from({ length: 25 }, (_, at) =>
      aRow({ agentId: `resizer-${at}`, description: `Resizes an image to ${at} pixels.` }),
    );
    const album = aRow({ agentId: 'album', description: 'Sends a photo to friends.' });
    const index = anIndex([{ ...CONSULTANT, agentId: 'lamp-xHJA0z-consultant' }, album, ...resizers], { settled });
    const found = find(index, 'resize an image');
    expect(found.slice(0, 25)).not.toContain('album');
    expect(found).not.toContain('lamp-xHJA0z-consultant');
  });

  it('are not found after removal, and are found by their new content after a change', () => {
    const index = anIndex(ROWS, { settled });
    index.remove('lawyer');
    expect(find(index, 'contracts')).not.toContain('lawyer');
    // Under an id that is no word of its former content.
    index.put('pilot', aRow({ agentId: 'x9', description: 'Repairs bicycles.' }), null);
    expect(find(index, 'bicycles')).toEqual(['x9']);
    expect(find(index, 'airfares')).not.toContain('x9');
    expect([index.liveRows, index.deadRows]).toEqual([5, 2]);
  });

  it('go offline without being indexed again', () => {
    const index = anIndex(ROWS, { settled });
    expect(index.put('cook', { ...(ROWS[1] as CatalogRow), isOnline: false }, null).isNew).toBe(false);
    expect(find(index, 'recipes')).not.toContain('cook');
    expect(find(index, 'recipes', { online_only: false })).toContain('cook');
  });
});

describe('a filter', () => {
  const index = anIndex(ROWS);
  it.each([
    [{ online_only: false, country: 'DE' }, ['sleeper']],
    [{ country: 'fr' }, ['cook']],
    [{ capability: 'Recipe-Search' }, ['cook']],
    [{ tags: 'law,LIABILITY' }, ['lawyer']],
    [{ tags: ['law', 'kitchen'] }, []],
    [{ category: 'travel' }, ['pilot']],
    [{ category: 'travel.air' }, ['pilot']],
    [{ category: 'trav' }, []],
    [{ protocols: 'mcp,x402' }, ['pilot']],
    [{ output_mode: 'image/png' }, ['painter']],
    [{ output_mode: 'image/*' }, ['painter']],
    [{ output_mode: '*/*' }, ['painter']],
    [{ output_mode: 'image/jpeg' }, []],
    [{ input_mode: 'text/csv' }, ['painter']],
    [{ max_price_usd: 0.5 }, ['courier']],
    [{ max_price_usd: 0.49 }, []],
  ])('%j passes %j', (filters, agents) => {
    expect(find(index, '', filters)).toEqual(agents);
  });

  it('counts the matching rows that it removed, and those that lack the value', () => {
    const { filtered, lacking } = index.find('parcels', createConstraints({ max_price_usd: 1, country: 'DE' }), NOW);
    expect(Object.fromEntries(filtered)).toEqual({ online_only: 1, max_price_usd: 1, country: 1 });
    expect([...lacking].map(([{ constraint, reason }, dropped]) => [constraint, reason, dropped])).toEqual([
      ['country', 'no_country', 1],
      ['max_price_usd', 'no_price', 1],
    ]);
  });
});

describe('semantic search', () => {
  const wordings = ['Translates documents', 'Ferries documents', 'Localises documents'].flatMap((start, kind) =>
    ['glossary', 'layout', 'terminology', 'bilingual'].map((word, number) =>
      aRow({ agentId: `t${kind}${number}`, description: `${start} with ${word}.`, tags: ['interpreter', word] }),
    ),
  );
  const others = ['weather', 'music', 'chess', 'finance'].flatMap((topic) =>
    ['alpha', 'beta', 'gamma'].map((word) =>
      aRow({ agentId: `${topic}-${word}`, description: `Knows ${topic} ${word} well.`, tags: [topic] }),
    ),
  );

  it('finds rows without the words of the query, by the words that occur together', () => {
    const found = find(anIndex([...wordings, ...others]), 'translates');
    expect(found.slice(0, 4).every((agentId) => agentId.startsWith('t0'))).toBe(true);
    expect(found.filter((agentId) => /^t[12]/.test(agentId)).length).toBeGreaterThan(4);
    expect(found.slice(0, 8).every((agentId) => agentId.startsWith('t'))).toBe(true);
  });

  it('finds rows by synonyms of words that no row contains', () => {
    const found = anIndex(ROWS).find('solicitor', createConstraints({}), NOW).candidates;
    expect(found[0]).toMatchObject({ agentId: 'lawyer', text: 0 });
    expect(found[0]?.semantic).toBeGreaterThan(0.4);
  });

  it('finds nothing for meaningless words', () => {
    expect(find(anIndex([...ROWS, ...wordings, ...others]), 'xqzt vvvvv')).toEqual([]);
    expect(find(anIndex(ROWS), '?')).toEqual([]);
  });
});

it('stopwords alone are no query: all rows are listed, unless a model says what they mean', () => {
  const index = anIndex(ROWS);
  expect(find(index, 'the of and').sort()).toEqual(find(index, '').sort());
  const bearing = { vector: Float32Array.from([0.5, 0.5, 0.5, 0.5]), space: new VectorSpace(4) };
  expect(index.find('the of and', createConstraints({}), NOW, bearing).candidates).toEqual([]);
});

it('an index without rows finds nothing', () => {
  const index = anIndex([]);
  expect(find(index, 'anything')).toEqual([]);
  expect(find(index, '')).toEqual([]);
});
