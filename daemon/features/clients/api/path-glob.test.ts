import { describe, expect, it } from 'vitest';
import { pathFilter } from './path-glob.js';

const PATHS = ['README.md', 'src/dusk.ts', 'src/dusk.test.ts', 'src/deep/er/a.ts', 'docs/a.md'];

describe('pathFilter', () => {
  it.each([
    ['', PATHS],
    ['.', PATHS],
    ['./', PATHS],
    ['**', PATHS],
    ['src', PATHS.slice(1, 4)],
    ['./src/', PATHS.slice(1, 4)],
    ['src/dusk.ts', ['src/dusk.ts']],
    ['src/d', []],
    ['*.ts', PATHS.slice(1, 4)],
    ['src/*.ts', PATHS.slice(1, 3)],
    ['src/**/*.ts', PATHS.slice(1, 4)],
    ['**/*.md', ['README.md', 'docs/a.md']],
    ['src/**', PATHS.slice(1, 4)],
    ['**/er/**', ['src/deep/er/a.ts']],
    ['src/dus?.ts', ['src/dusk.ts']],
    ['../**', []],
    ['SRC/*.ts', []],
    ['/', PATHS],
    ['./././src', PATHS.slice(1, 4)],
    ['src///', PATHS.slice(1, 4)],
    ['src/./dusk.ts', []],
    ['**/**', PATHS],
    ['src/**/**/*.ts', PATHS.slice(1, 4)],
    ['**/src/*.ts', PATHS.slice(1, 3)],
    ['src/**/deep/**/a.ts', ['src/deep/er/a.ts']],
    ['*/a.*', ['docs/a.md']],
    ['*/*', [...PATHS.slice(1, 3), 'docs/a.md']],
    ['src/deep/*', []],
    ['src/*/*/*/*', []],
    ['**/x/**', []],
    ['x/**', []],
    ['?.md', ['docs/a.md']],
    ['dus?ts', []],
    ['dusk.ts', []],
  ])('matches the expected paths for %j', (pattern, fitting) => {
    expect(PATHS.filter(pathFilter(pattern))).toEqual(fitting);
  });

  it('matches in bounded time for any pattern', () => {
    const started = performance.now();
    const path = `${'a/'.repeat(120)}${'a'.repeat(24)}`;
    for (const pattern of ['**/a'.repeat(60), `${'*a'.repeat(120)}b`, '**/'.repeat(80), `${'*/'.repeat(120)}b`])
      pathFilter(pattern)(path);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
