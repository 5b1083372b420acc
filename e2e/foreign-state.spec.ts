import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ForeignState } from '../daemon/contract/foreign-state.js';
import { expect, expectAccessible, open, test } from './fixtures.js';

test.use({
  files: {
    '.mesh/state/mesh.db': 'rows of somebody else',
    '.mesh/credentials/team-tokens.json': '{"consultant":"mk_foreign"}',
  },
});

test('state that a repository brings is said to be set aside, with the way to take it over', async ({
  page,
  project,
  context,
}) => {
  await open(page, project);
  await expect(page.getByText('State from another machine was set aside.')).toBeVisible();
  const { folders } = await project.api<ForeignState>('GET', '/foreign-state');
  const [first] = folders;
  expect(folders).toMatchObject([{ reason: 'tracked' }]);
  await expect(page.getByText(first?.folder ?? '', { exact: true })).toBeVisible();
  await expect(page.getByText('Git tracks files of it:')).toBeVisible();
  expect(existsSync(join(project.root, first?.folder ?? '', 'state/mesh.db'))).toBe(true);
  expect(readdirSync(join(project.root, '.mesh/credentials'))).not.toContain('team-tokens.json');
  await expectAccessible(page);

  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copy = page.getByRole('main').getByRole('button', { name: /Copy/ }).nth(1);
  await copy.focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('meshd down && meshd adopt && meshd up');
});
