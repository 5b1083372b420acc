import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { TABLE_HEAD, tableRow } from '../../testing/processes/connection-table.js';
import { rawRequest } from '../../testing/processes/raw-request.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import {
  canIdentifyPeers,
  findOwners,
  formatEndpoints,
  type Reading,
  readKernelTable,
  readOwners,
} from './connection-table.js';

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

describe('the owner of a connection from a socket of IPv6, as Java opens it', () => {
  const MAPPED = '0000000000000000FFFF0000';
  const ends = '0100007F:9C40 0100007F:128B';
  const mapped = `${MAPPED}0100007F:9C40 ${MAPPED}0100007F:128B`;
  const of = (rows: string) =>
    readOwners(
      new Set([ends]),
      () => [TABLE_HEAD],
      () => (TABLE_HEAD + rows).split('\n'),
    );

  it('is the uid of its row in the second table', () => {
    const other = tableRow(`${MAPPED}0100007F:128B ${MAPPED}0100007F:9C40`, '01', 7, 1);
    expect(of(other + tableRow(mapped, '01', 1000, 4711) + other)).toEqual(new Map([[ends, 1000]]));
  });

  it.each([
    ['an abandoned one', mapped, '01', 0],
    ['a closed one', mapped, '06', 4711],
    ['one from an address of IPv6', `000080FE00000000FF0000000100007F:9C40 ${MAPPED}0100007F:128B`, '01', 4711],
    ['one to an address of IPv6', `${MAPPED}0100007F:9C40 00000000000000000000000001000000:128B`, '01', 4711],
    [
      'one between addresses of IPv6 that end alike',
      '000080FE00000000FF0000000100007F:9C40 000080FE00000000FF0000000100007F:128B',
      '01',
      4711,
    ],
    [
      'one between addresses of IPv6 that hold the prefix elsewhere',
      `0100007F${MAPPED}:9C40 0100007F${MAPPED}:128B`,
      '01',
      4711,
    ],
    ['one without the prefix', ends, '01', 4711],
  ])('is not told by another row: %s', (_which, row, state, inode) => {
    expect(of(tableRow(row, state, 1000, inode))).toEqual(new Map());
  });

  it('is looked for only when the first table lacks a wanted connection, and never replaces what that one tells', () => {
    let readings = 0;
    const second = () => {
      readings += 1;
      return [tableRow(mapped, '01', 7, 1), tableRow(mapped.replace('9C40', '9C41'), '01', 8, 1)];
    };
    const read = (...wanted: string[]) =>
      readOwners(new Set(wanted), () => [TABLE_HEAD, tableRow(ends, '01', 1000, 4711)], second);
    expect([read(), read(ends), readings]).toEqual([new Map(), new Map([[ends, 1000]]), 0]);
    const later = ends.replace('9C40', '9C41');
    expect([read(ends, later), readings]).toEqual([
      new Map([
        [ends, 1000],
        [later, 8],
      ]),
      1,
    ]);
  });

  it.each<[string, Reading]>([
    ['ENOENT', new Map()],
    ['EACCES', new Map()],
    ['EPERM', new Map()],
    ['EMFILE', 'unreadable'],
  ])('when the second table fails with %s', (code, expected) => {
    const second = (): never => {
      throw Object.assign(new Error(code), { code });
    };
    expect(readOwners(new Set([ends]), () => [TABLE_HEAD], second)).toEqual(expected);
  });

  it.runIf(existsSync('/proc/net/tcp6'))('opens the routes of the operator to it', async () => {
    const { address } = await testApp({ readOwners });
    const { host, port } = new URL(address);
    const { status } = await rawRequest(Number(port), ['GET /team HTTP/1.1', `Host: ${host}`], '', '::ffff:127.0.0.1');
    expect(status).toBe(200);
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
