import { expect, it } from 'vitest';
import { SnapshotSchedule } from './snapshot-schedule.js';

it('makes a snapshot due after a command for each twenty rows, 10,000 at least, and counts them rarely', () => {
  const tables = { rows: 300, counted: 0 };
  const schedule = new SnapshotSchedule(() => {
    tables.counted += 1;
    return tables.rows;
  });
  const listDue = (...commands: number[]) => commands.map((count) => schedule.isDue(count));
  expect(listDue(0, 9_999, 10_000)).toEqual([false, false, true]);
  tables.rows = 20 * 45_000;
  expect(listDue(10_000, 30_000, 44_999)).toEqual([false, false, false]);
  expect(tables.counted).toBe(2);
  expect(listDue(45_000)).toEqual([true]);
  // The tables shrink: the next one comes after as many commands as the last one at most.
  tables.rows = 5;
  expect(listDue(44_999, 45_000, 10_000)).toEqual([false, true, true]);
});

it('gives a turn to one sender when it becomes due, and to another one every 500 commands', () => {
  const schedule = new SnapshotSchedule(() => 20 * 12_000 + 1);
  const turns = Array.from({ length: 14_000 }, (_, count) => count).filter((count) => schedule.isTurn(count));
  expect(turns).toEqual([12_001, 12_501, 13_001, 13_501]);
});
