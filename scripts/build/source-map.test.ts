import { SourceMap } from 'node:module';
import { describe, expect, it } from 'vitest';
import { toAscii, toShippedMap } from './source-map.mjs';

const SOURCES = ['../daemon/a.ts', '../node_modules/x/x.js', '../daemon/b.ts'];
// Columns 0 (a.ts 1:0), 5 (x.js 1:0), 8 (b.ts 3:2), and on the second line column 4 (b.ts 5:0).
const MAPPINGS = 'AAAA,KCAA,GCEE;IAEF';
const origin = (map: SourceMap, line: number, column: number) => {
  const entry = map.findEntry(line, column);
  return 'originalSource' in entry ? [entry.originalSource, entry.originalLine, entry.originalColumn] : undefined;
};

describe('the shipped source map', () => {
  const code = 'a("é");xyz;\n"ü";b';
  const shipped = toShippedMap(code, { sources: SOURCES, mappings: MAPPINGS });
  const map = new SourceMap(shipped as never);

  it('contains only sources of this project', () => {
    expect(shipped.sources).toEqual(['../daemon/a.ts', '../daemon/b.ts']);
    expect(origin(map, 0, 11)?.[0]).toBeUndefined();
  });

  it('maps columns that escapes have shifted', () => {
    expect(toAscii(code)).toBe('a("\\u00e9");xyz;\n"\\u00fc";b');
    expect(origin(map, 0, 0)).toEqual(['../daemon/a.ts', 0, 0]);
    expect(origin(map, 0, 12)?.[0]).toBeUndefined();
    expect(origin(map, 0, 13)).toEqual(['../daemon/b.ts', 2, 2]);
    expect(origin(map, 1, 9)).toEqual(['../daemon/b.ts', 4, 0]);
  });
});
