import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { beFound, daemon, meshd } from '../../testing/processes/command-line.js';

it('tells what is not there, with what is near, and exits with 4', async () => {
  const { root, untilIndexed } = await daemon();
  await untilIndexed();
  const look = (...words: string[]) => meshd(root, 'code', ...words);
  expect(await look('defs', 'isDus')).toMatchObject({
    exit: 4,
    out: '',
    err: 'meshd: The code has no definition of isDus. Near it: isDusk.\n',
  });
  expect((await look('refs', 'isDawn')).err).toContain('no definition or use of isDawn');
  expect((await look('imports', 'src/dawn.ts')).err).toBe('meshd: The code has no file or package src/dawn.ts.\n');
  expect((await look('env', 'DUSK')).err).toBe('meshd: The code has no read of an environment variable DUSK.\n');
  expect(await look('routes', '/dusk')).toMatchObject({ exit: 4, err: 'meshd: The code has no route with /dusk.\n' });
  expect(await look('defs')).toMatchObject({ exit: 2 });
});

it('shows a place on one line, also what stands on several', async () => {
  const app = await testApp({
    files: { 'src/wide.ts': 'export function wide(\n  a: string,\n  b: string,\n): void {}\n' },
  });
  beFound(app);
  await app.untilIndexed();
  const { out } = await meshd(app.root, 'code', 'defs', 'wide');
  expect(out).toMatch(/^src\/wide\.ts:1 {2}\S.*wide\( ?a: string, b: string,? ?\).*\n$/);
});
