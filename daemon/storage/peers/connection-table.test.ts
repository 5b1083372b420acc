import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TABLE_HEAD, tableRow } from '../../testing/processes/connection-table.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { findOwners, readKernelTable, readOwners } from './connection-table.js';

describe('the owner of a loopback connection', () => {
  const ends = '0100007F:9C40 0100007F:128B';
  const of = (rows: string) => findOwners((TABLE_HEAD + rows).split('\n'), new Set([ends])).get(ends);

  it('is the uid of its established row', () => {
    const others =
      tableRow('0100007F:128B 0100007F:9C40', '01', 7, 1) + tableRow('0100007F:9C41 0100007F:128B', '01', 8, 2);
    expect(of(others + tableRow(ends, '01', 1000, 4711) + others)).toBe(1000);
    expect(of(others)).toBeUndefined();
  });

  it('is the uid of a half-closed row that still reads', () => {
    expect(of(tableRow(ends, '04', 1000, 4711))).toBe(1000);
    expect(of(tableRow(ends, '05', 1000, 4711))).toBe(1000);
  });

  it("is unknown for an abandoned, closed or missing row, which the kernel shows as root's", () => {
    for (const state of ['01', '04', '05', '06']) expect(of(tableRow(ends, state, 0, 0))).toBeUndefined();
    expect(of(tableRow(ends, '06', 1000, 4711))).toBeUndefined();
    expect(of(tableRow(ends, '07', 1000, 4711))).toBeUndefined();
    expect(of('')).toBeUndefined();
  });
});

describe('the table of the kernel', () => {
  it('that cannot be read is distinguished from a system without one', () => {
    expect(readOwners(new Set(), () => readKernelTable('/proc'))).toBe('unreadable');
    expect(readOwners(new Set(), () => readKernelTable('/proc/no-such-table'))).toBe('no table');
  });

  it('is read whole, however the pieces cut its lines', () => {
    const owned = Array.from({ length: 300 }, (_, at) => [`0100007F:${String(9_000 + at)} 0100007F:128B`, at] as const);
    const rows = owned.map(([ends, uid]) => tableRow(ends, '01', uid, 4711));
    const path = join(temporaryFolder(), 'tcp');
    writeFileSync(path, TABLE_HEAD + rows.join(''));
    const wanted = new Map(owned);
    expect(findOwners(readKernelTable(path), wanted)).toEqual(wanted);
  });
});
