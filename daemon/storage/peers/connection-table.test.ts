import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TABLE_HEAD, tableRow } from '../../testing/processes/connection-table.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { canIdentifyPeers, findOwners, formatEndpoints, readKernelTable, readOwners } from './connection-table.js';

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

describe('the two ends of a connection', () => {
  const open = { remoteAddress: '127.0.0.1', remotePort: 40_000, localAddress: '127.0.0.1', localPort: 4_747 };

  it('are spelled as in the table: octets backwards, in capital hexadecimal digits of full length', () => {
    expect(formatEndpoints(open)).toBe('0100007F:9C40 0100007F:128B');
    expect(formatEndpoints({ ...open, remoteAddress: '::ffff:10.0.0.200', remotePort: 7 })).toBe(
      'C800000A:0007 0100007F:128B',
    );
  });

  it.each(Object.keys(open))('are unknown once the connection is closed, which has no %s', (key) => {
    expect(formatEndpoints({ ...open, [key]: undefined })).toBeUndefined();
  });
});

describe('the lines of a table', () => {
  it('are taken by what follows the number of the row, however they are cut short', () => {
    const ends = '0100007F:9C40 0100007F:128B';
    const row = tableRow(ends, '01', 1000, 4711).trim();
    expect(findOwners(['', ends, `x${row}`, `  12: ${row.slice(3)}`], new Set([ends]))).toEqual(
      new Map([[ends, 1000]]),
    );
    expect(findOwners([row.slice(0, 40)], new Set([ends])).size).toBe(0);
  });
});

describe('whether the owners of connections can be told', () => {
  it('is yes on Linux', () => {
    expect(canIdentifyPeers()).toBe(process.platform === 'linux');
  });

  it('is no where the system has no users', () => {
    const { getuid } = process;
    onTestFinished(() => void Object.assign(process, { getuid }));
    Object.assign(process, { getuid: undefined });
    expect(canIdentifyPeers()).toBe(false);
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
