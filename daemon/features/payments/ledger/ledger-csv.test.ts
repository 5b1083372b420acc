import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../../contract/payments.js';
import { csvLines } from './ledger-csv.js';

const entry = (reason: string | null) =>
  ({ id: 'pay-1', amount_lamports: 5, real: false, reason, latency_ms: null }) as unknown as LedgerEntry;
const BEFORE = 'pay-1,,,,,,,,,,5,,false,,,,';
const getCell = (reason: string | null) => {
  const line = csvLines([entry(reason)]);
  expect([line.slice(0, BEFORE.length), line.slice(-3)]).toEqual([BEFORE, ',\r\n']);
  return line.slice(BEFORE.length, -3);
};

it.each([
  ['plain', 'plain'],
  [null, ''],
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['  =1', "'  =1"],
  ['\t=1', "'\t=1"],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['one\r\ntwo', '"one\r\ntwo"'],
  ['a,b', '"a,b"'],
])('formats %j as a cell that is not a formula', (reason, cell) => {
  expect(getCell(reason)).toBe(cell);
});
