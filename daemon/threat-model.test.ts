import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GOALS } from '../scripts/hard/goals.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const rows = readFileSync(at('./THREAT-MODEL.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| who |'))
  .map((line) => line.slice(2, -2).split(' | '));

describe('the threat model', () => {
  it.each(rows.map((row) => [row[0], row[1], row[3]]))(
    'names existing tests for %s, who wants %s',
    (_who, _wants, triedBy) => {
      const names = [...(triedBy ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !existsSync(at(`../${name}`)))).toEqual([]);
      const drills = names.filter((name) => name.startsWith('scripts/hard/')).map((name) => basename(name, '.ts'));
      expect(drills.filter((name) => !(name in GOALS))).toEqual([]);
      expect(names.filter((name) => !/^scripts\/hard\/|\.(test|spec)\.ts$/.test(name))).toEqual([]);
    },
  );
});
