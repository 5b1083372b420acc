import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, open, test } from './fixtures.js';

test('a member is drafted from words, read, changed and only then written', async ({ page, project }) => {
  const files = () => readdirSync(join(project.root, '.mesh/team')).length;
  await open(page, project, '/team');
  await page.getByRole('button', { name: 'Generate from a description' }).click();
  const words = page.getByRole('dialog', { name: 'Generate a member from a description' });
  await expect(words.getByLabel('What should the member do?')).toBeFocused();
  await expect(words.getByRole('button', { name: /^Generate/ })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  await words
    .getByLabel('What should the member do?')
    .fill(
      'A tide keeper that reads the tide tables every morning, warns of low water and never opens a sluice by itself.',
    );
  await words.getByRole('button', { name: 'Generate' }).click();

  const draft = page.getByRole('dialog', { name: 'Draft', exact: true });
  await expect(draft.getByText(/Nothing is\s+written yet/)).toBeVisible();
  await expect(draft.getByLabel('Initial prompt')).toHaveValue(/tide/);
  await expect(draft.getByLabel('Name')).not.toHaveValue('');
  expect(files()).toBe(9);
  await expectAccessible(page);

  await draft.getByRole('button', { name: 'Back to the description' }).click();
  await expect(words.getByLabel('What should the member do?')).toHaveValue(/^A tide keeper/);
  await words.getByLabel('Name').fill('Tide Keeper');
  await words.getByRole('button', { name: 'Generate' }).click();
  await expect(draft.getByLabel('Name')).toHaveValue('Tide Keeper');
  await draft.getByLabel('Description').fill('Watches the water.');
  await draft.getByRole('button', { name: 'Create member' }).click();

  await expect(page.getByRole('heading', { level: 1, name: /Tide Keeper/ })).toBeVisible();
  expect(files()).toBe(10);
  const text = project.read('.mesh/team/tide-keeper.md');
  expect(text).toContain('description: Watches the water.');
  expect(text).toContain('sluice');
});
