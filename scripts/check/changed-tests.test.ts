import { describe, expect, it } from 'vitest';
import { findConcerned, fitInto } from './changed-tests.js';

const TEXTS: Record<string, string> = {
  'daemon/a/one.test.ts': "import { one } from './one.js';",
  'daemon/a/two.test.ts': "import { two } from './two.js';",
  'daemon/b/far.test.ts': "import type { One } from '../a/one.js';",
  'daemon/b/lazy.test.ts': "const { one } = await import('../a/one.js');",
  'daemon/b/other.test.ts': "import { x } from './x.js';\nimport y from 'a/one';",
  'daemon/c/schema.ts': "import text from './schema.sql';",
  'daemon/c/store.ts': "export { schema } from './schema.js';\nimport type { Loop } from './loop.js';",
  'daemon/c/loop.ts': "import { store } from './store.js';",
  'daemon/d/store.test.ts': "import { store } from '../c/store.js';",
  'daemon/d/far.test.ts': "import { store } from '../d/uses-loop.js';",
  'daemon/d/uses-loop.ts': "import { loop } from '../c/loop.js';",
};
const find = (...changed: string[]) =>
  findConcerned(changed, Object.keys(TEXTS), (file) => TEXTS[file] ?? '').map(
    ({ file, distance }) => `${distance} ${file}`,
  );

describe('findConcerned', () => {
  it('finds the test of a changed file, those that import it and those in its folder', () => {
    expect(find('daemon/a/one.ts')).toEqual([
      '1 daemon/a/one.test.ts',
      '1 daemon/b/far.test.ts',
      '1 daemon/b/lazy.test.ts',
      '2 daemon/a/two.test.ts',
    ]);
  });

  it('puts changed tests first, which change nothing for others', () => {
    expect(find('daemon/b/other.test.ts', 'daemon/a/two.ts')).toEqual([
      '0 daemon/b/other.test.ts',
      '1 daemon/a/two.test.ts',
      '2 daemon/a/one.test.ts',
    ]);
  });

  it('finds tests that import a changed file through others, nearest first, also in a cycle', () => {
    expect(find('daemon/c/schema.sql')).toEqual(['3 daemon/d/store.test.ts', '5 daemon/d/far.test.ts']);
    expect(find('daemon/c/loop.ts')).toEqual(['2 daemon/d/far.test.ts', '2 daemon/d/store.test.ts']);
  });

  it('finds none for files without code', () => {
    expect(find('package.json', 'daemon/a/picture.png')).toEqual([]);
  });
});

describe('fitInto', () => {
  const concerned = [
    { file: 'changed', distance: 0 },
    { file: 'slow', distance: 1 },
    { file: 'new', distance: 2 },
  ];

  it('leaves out what takes too long, but never a changed test', () => {
    const durations = new Map([
      ['changed', 100],
      ['slow', 30],
    ]);
    expect(fitInto(concerned, durations, { seconds: 60 })).toEqual({ taken: ['changed'], left: ['slow', 'new'] });
    expect(fitInto(concerned, durations, { seconds: 131 })).toEqual({ taken: ['changed', 'slow', 'new'], left: [] });
  });
});
