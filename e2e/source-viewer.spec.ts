import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

const filler = Array.from({ length: 230 }, (_, at) => `export const lamp${at} = ${at}; // lamp`).join('\n');

test.use({
  files: {
    'src/beam.ts': "/** Turns\n the beam. */\nexport function turnBeam(): string {\n  return 'slow';\n}\n",
    'src/keeper.ts': `import { turnBeam } from './beam.js';\n\nexport const watch = () => turnBeam();\n${filler}\n`,
  },
});

test('a file is highlighted, its lines have links, and the names in it lead to their uses', async ({
  page,
  project,
}) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
  await expect.poll(() => project.meshd('code', 'refs', 'turnBeam')).toContain('src/keeper.ts:3');
  await open(page, project, `/talk/${conv}?file=src/keeper.ts&from=3`);
  const file = page.getByRole('dialog', { name: /src\/keeper\.ts/ });
  await expect(file.locator('[class*=keyword]').first()).toHaveText(/import|export/);
  // The end of a long file is highlighted, too.
  await expect(file.getByRole('listitem').last().locator('[class*=comment]')).toHaveText(/lamp/);
  await expectAccessible(page);

  await file.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(file.getByRole('searchbox', { name: 'Search in this file' })).toBeFocused();
  // By selectors: the roles and names of all lines would be computed each time.
  const panel = page.locator('dialog[data-side-panel]');
  const field = panel.locator('input[data-find]');
  const count = panel.locator('search [role=status]');
  const current = panel.locator('mark[data-current]');
  await field.fill('Lamp22');
  await expect(count).toHaveText('1 of 11, line 26');
  await field.press('Enter');
  await expect(count).toHaveText('2 of 11, line 224');
  await expect(current).toHaveText('lamp22');
  await expect(current).toBeInViewport();
  await field.press('Shift+Enter');
  await panel.locator('button[aria-label="Previous match"]').click();
  await expect(count).toHaveText('11 of 11, line 233');
  await panel.locator('button[aria-label="Next match"]').click();
  await expect(count).toHaveText('1 of 11, line 26');
  await expect(panel.locator('mark')).toHaveCount(11);
  await expectAccessible(page, { within: 'dialog :is(search, li:has(mark))' });
  await field.fill('no lamp');
  await expect(count).toHaveText('No match');
  await field.press('Escape');
  await expect(field).toHaveCount(0);
  await expect(panel).toBeVisible();

  await file.getByRole('link', { name: 'Line 5', exact: true }).click();
  await expect(page).toHaveURL(/#L5$/);
  await file.getByRole('link', { name: 'Line 7', exact: true }).click({ modifiers: ['Shift'] });
  await expect(page).toHaveURL(/#L5-L7$/);
  await page.reload();
  await expect(file.getByRole('heading')).toHaveText('src/keeper.ts:5-7');
  await page.goBack();
  await expect(file.getByRole('heading')).toHaveText('src/keeper.ts:5');
  await page.goBack();
  await expect(file.getByRole('heading')).toHaveText('src/keeper.ts:3');

  project.git('add', '-A');
  project.git('commit', '-q', '--allow-empty', '-m', 'Base of the blame');
  writeFileSync(
    join(project.root, 'src/keeper.ts'),
    `// new\nimport { turnBeam } from './beam.js';\n\nexport const watch = () => turnBeam();\n${filler}\n`,
  );
  // The conversation comes late, and its composer leaves the focus in the panel.
  let letIn = () => {};
  const isLetIn = new Promise<void>((resolve) => {
    letIn = resolve;
  });
  await page.route(`**/conversations/${conv}`, (route) => isLetIn.then(() => route.continue()));
  await page.reload();
  await tabTo(page, file.getByRole('button', { name: 'Who changed this' }));
  letIn();
  await expect(page.getByRole('textbox', { name: 'Message to Developer' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(file.getByRole('listitem').first()).toContainText('not committed');
  await expect(file.getByRole('listitem').nth(1)).toContainText(/ ago.*|just now/);
  await expectAccessible(page);
  await file.getByRole('button', { name: 'Who changed this' }).click();
  await expect(file.getByText('not committed')).toHaveCount(0);
  project.git('checkout', '-q', '--', 'src/keeper.ts');
  await page.reload();

  await expect(file.getByRole('button', { name: /^(export|const)$/ })).toHaveCount(0);
  await tabTo(page, file.getByRole('button', { name: 'turnBeam' }));
  await page.keyboard.press('Enter');
  const places = file.getByRole('list', { name: 'Places of turnBeam' });
  await expect(file.getByText('turnBeam: 1 definition, 1 use')).toBeVisible();
  await expect(places.getByRole('listitem')).toHaveText([/src\/beam\.ts:3 defined/, /src\/keeper\.ts:3 used/]);
  await places.getByRole('link', { name: 'src/beam.ts:3' }).click();
  const beam = page.getByRole('dialog', { name: /src\/beam\.ts/ });
  await expect(beam.locator('[class*=comment]').first()).toBeVisible();
  await beam.getByText('string', { exact: true }).first().click();
  await expect(beam.getByRole('status')).toHaveText(/string: 0 definitions|string:/);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page);
});
