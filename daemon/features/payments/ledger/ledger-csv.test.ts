import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../../contract/payments.js';
import { CSV_HEAD, csvLines } from './ledger-csv.js';

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
  ['\t=1', '"\'\t\'=1"'],
  ['a;=1+1;b', '"a;\'=1+1;b"'],
  ['a;\t @b', '"a;\t\' @b"'],
  ['=HYPERLINK("x","y")', '"\'=HYPERLINK(""x"",""y"")"'],
  ['one\r\ntwo', '"one\r\ntwo"'],
  ['a,b', '"a,b"'],
  [' a', '" a"'],
  ['a ', '"a "'],
  ['\ta', '"\'\ta"'],
  ['\na', '"\'\na"'],
  ['\ra', '"\'\ra"'],
  ['|cmd', "'|cmd"],
  ['%cmd', "'%cmd"],
  ['a=b+c-d@e|f%', 'a=b+c-d@e|f%'],
  ['a b\tc', '"a b\tc"'],
  ['', ''],
])('formats %j as a cell that is not a formula', (reason, cell) => {
  expect(getCell(reason)).toBe(cell);
});

it('has a line of the columns, then one of each entry; a negative number is no formula', () => {
  expect(CSV_HEAD).toBe(
    'id,created_at,updated_at,side,kind,state,mode,agent,skill,counterparty,amount_lamports,network,real,nonce,' +
      'signature,api_key_last4,reason,latency_ms\r\n',
  );
  const owed = { ...entry('plain'), id: 'pay-2', amount_lamports: -5 };
  expect(csvLines([entry('plain'), owed])).toBe(`${BEFORE}plain,\r\npay-2,,,,,,,,,,-5,,false,,,,plain,\r\n`);
});
