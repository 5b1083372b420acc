import { expect, it } from 'vitest';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import { getRowWords } from './card-text.js';

it('a word of a capability stays one where a tag, the category or the description repeat it', () => {
  const row = {
    ...EMPTY_ROW,
    agentId: 'tax-helper',
    capabilities: ['audit'],
    tags: ['audit'],
    category: 'audit',
    description: 'Audits books.',
  };
  const words = getRowWords(row);
  const find = (stem: string) => words.find((one) => one.stem === stem);
  expect(find('audit')).toMatchObject({ isCapability: true, weight: 6, spellings: new Set(['audit', 'audits']) });
  expect(find('book')).toMatchObject({ isCapability: false, weight: 1 });
});
