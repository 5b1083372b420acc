import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FLOOR } from '../../e2e/browsers/browsers.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

test('README and the build name the oldest browsers that are tried', () => {
  expect(read('README.md')).toContain(`Chromium ${FLOOR.chromium} or Firefox ESR ${FLOOR.firefox} and newer`);
  expect(read('ui/vite.config.ts')).toContain(`target: ['chrome${FLOOR.chromium}', 'firefox${FLOOR.firefox}'],`);
});
