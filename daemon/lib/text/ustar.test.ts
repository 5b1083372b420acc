import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { canStoreInTar, computePadding, readTarHeader, TAR_BLOCK, tarHeader } from './ustar.js';

const LONG = `${'folder/'.repeat(20)}${'n'.repeat(90)}`;

describe('a header', () => {
  it('is parsed to what was written into it, whatever the path', () => {
    const part = fc.string({
      minLength: 1,
      maxLength: 30,
      unit: fc.constantFrom('a', 'Z', '0', '-', '.', ' ', 'é', '燈', '🌊'),
    });
    const path = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/'));
    const number = fc.integer({ min: 0, max: 2 ** 33 - 1 });
    fc.assert(
      fc.property(path, number, number, (name, bytes, modified) => {
        if (!canStoreInTar(name, bytes)) return;
        expect(readTarHeader(tarHeader({ path: name, bytes, modified }))).toEqual({ path: name, bytes, modified });
      }),
      { seed: 7 },
    );
  });

  it('belongs to the user and the group 0, and has its size in eleven octal digits', () => {
    const header = tarHeader({ path: 'a', bytes: 9, modified: 0 });
    expect(header.toString('latin1', 124, 136)).toBe('00000000011\0');
    expect(header.toString('latin1', 108, 124)).toBe('0000000\0'.repeat(2));
  });

  it('is rejected when any of its bytes is changed', () => {
    const header = tarHeader({ path: LONG, bytes: 5, modified: 6 });
    for (let at = 0; at < TAR_BLOCK; at += 1) {
      const changed = Buffer.from(header);
      changed[at] = (changed[at] as number) ^ 0x15;
      expect(readTarHeader(changed), `byte ${at}`).toBeUndefined();
    }
  });

  it.each(['1', '2', '3', '5', '6', 'x', 'L', '\0'])('of the type %j is rejected', (kind) => {
    const header = tarHeader({ path: 'a', bytes: 0, modified: 0 });
    header.write(kind, 156);
    const sum = header.reduce((all, byte, at) => all + (at >= 148 && at < 156 ? 0x20 : byte), 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    expect(readTarHeader(header)).toBeUndefined();
  });

  it('cannot hold a path or a size that is too long', () => {
    expect(canStoreInTar('n'.repeat(101), 0)).toBe(false);
    expect(canStoreInTar(`${'p'.repeat(156)}/n`, 0)).toBe(false);
    expect(canStoreInTar('n', 2 ** 33)).toBe(false);
    expect(() => tarHeader({ path: 'n'.repeat(101), bytes: 0, modified: 0 })).toThrow(
      new RangeError(`${'n'.repeat(101)} does not fit into a tape archive.`),
    );
    expect(() => tarHeader({ path: 'n', bytes: 2 ** 33, modified: 0 })).toThrow(RangeError);
  });

  it.each([
    ['a name of 100 bytes', 'n'.repeat(100), 0],
    ['a folder of 155 bytes and a name of 100', `${'p'.repeat(155)}/${'n'.repeat(100)}`, 0],
    ['a folder of many parts', `${'p/'.repeat(77)}p/${'n'.repeat(100)}`, 0],
    ['a folder of more than 100 bytes', `${'p'.repeat(120)}/n`, 0],
    ['the largest size', 'n', 2 ** 33 - 1],
  ])('holds %s', (_what, path, bytes) => {
    expect(canStoreInTar(path, bytes)).toBe(true);
    expect(readTarHeader(tarHeader({ path, bytes, modified: 7 }))).toEqual({ path, bytes, modified: 7 });
  });

  it.each([
    ['a name of 101 bytes in fewer characters', 'é'.repeat(51)],
    ['a name of 101 bytes in a folder', `p/${'n'.repeat(101)}`],
    ['no name after its folder', `${'p'.repeat(100)}/`],
    ['a folder of 156 bytes in fewer characters', `${'é'.repeat(78)}/n`],
  ])('cannot hold %s', (_what, path) => {
    expect(canStoreInTar(path, 0)).toBe(false);
  });
});

it('contents are padded to a whole number of blocks', () => {
  expect([0, 1, 511, 512, 513].map(computePadding)).toEqual([0, 511, 1, 0, 511]);
});

it('is readable by other programs', () => {
  const contents = Buffer.from('hello\n');
  const archive = Buffer.concat([
    tarHeader({ path: LONG, bytes: contents.length, modified: 1_700_000_000 }),
    contents,
    Buffer.alloc(computePadding(contents.length) + 2 * TAR_BLOCK),
  ]);
  const folder = temporaryFolder();
  execFileSync('tar', ['xf', '-', '-C', folder], { input: archive });
  expect(execFileSync('cat', [join(folder, LONG)], { encoding: 'utf8' })).toBe('hello\n');
  const { mode, mtimeMs } = statSync(join(folder, LONG));
  expect([mode & 0o777, mtimeMs]).toEqual([0o600, 1_700_000_000_000]);
});
