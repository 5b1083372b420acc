import { expect, test } from '@playwright/test';
import { contractTexts } from './contract.js';
import { FIELDS, OTHERS } from './fields.js';

test('every text that an answer of the daemon may hold is one that is planted, or one of which is said why not', async () => {
  const texts = await contractTexts();
  const planted = Object.values(FIELDS).flatMap(({ comesAs }): readonly string[] => comesAs);
  expect(
    planted.filter((text) => !texts.includes(text)),
    'planted, and no text of the contract',
  ).toEqual([]);
  const isOther = (text: string) => OTHERS.some(([names]) => names.test(text));
  expect(
    texts.filter((text) => !planted.includes(text) && !isOther(text)),
    'in no row',
  ).toEqual([]);
  expect(
    OTHERS.filter(([names]) => !texts.some((text) => names.test(text))).map(([names]) => String(names)),
    'rows without a text',
  ).toEqual([]);
});
