import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, holdNext, open, test } from './fixtures.js';

const FILE = '.mesh/team/developer.md';
/**
 * A file as written by hand: comments, unusual quotes and spaces, unknown keys, CRLF line ends, no newline at the end.
 */
const BY_HAND = [
  '---',
  '# kept by the harbour office',
  "name:   'Developer'   # as shown",
  'vendor_key: {a: 1,   b: [2,3]}',
  'model: "strongest"',
  'effort:    high # since the storm',
  'limits: {turns: 30, minutes: 10}',
  '---',
  '',
  'You write code.\t',
  '',
  '* and   you test it',
].join('\r\n');

test('the form changes the one key that was changed, and no other byte', async ({ page, project }) => {
  project.write(FILE, BY_HAND);
  await open(page, project, '/team/developer?tab=file');
  const form = page.getByRole('form', { name: 'Developer, as a form' });
  await expect(form.getByLabel('Effort')).toHaveValue('high');
  await expect(form.getByRole('button', { name: /^Save/ })).toHaveAttribute('aria-disabled', 'true');
  await form.getByLabel('Effort').selectOption('low');
  await expect(form.getByText('1 key changed.')).toBeVisible();
  await expectAccessible(page);
  await form.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
  await expect(form.getByText('As on disk.')).toBeVisible();
  expect(project.read(FILE)).toBe(BY_HAND.replace('effort:    high #', 'effort:    low #'));
});

test('the form says what is wrong beside the field and writes nothing', async ({ page, project }) => {
  await open(page, project, '/team/developer?tab=file');
  const before = project.read(FILE);
  const form = page.getByRole('form', { name: 'Developer, as a form' });
  await form.getByLabel('Turn limit per run').fill('many');
  await form.getByLabel('Model').fill('');
  await form.getByRole('button', { name: /^Save/ }).click();
  await expect(form.getByText('A whole number from 1 to 10,000.')).toBeVisible();
  await expect(form.getByLabel('Model')).toHaveAccessibleDescription(/A member needs a model/);
  await expectAccessible(page);
  expect(project.read(FILE)).toBe(before);
});

test('availability, contact and limits are set by keyboard on a phone, with errors at their fields', async ({
  page,
  project,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, project, '/team/developer?tab=file');
  const before = project.read(FILE);
  const part = page.getByRole('group', { name: 'Availability, contact and limits' });
  await part.getByLabel('Away for now').focus();
  await page.keyboard.press('Space');
  for (const words of ['Mon-Fri', 'within a minute', 'https://example.org', '0']) {
    await page.keyboard.press('Tab');
    await page.keyboard.type(words);
  }
  await page.keyboard.press('Enter');
  const contact = part.getByLabel('Contact');
  const limit = part.getByLabel('Calls of one address a minute');
  await expect(contact).toHaveAccessibleDescription(/Line 1 must be a protocol/);
  await expect(limit).toHaveAccessibleDescription(/A whole number from 1/);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(project.read(FILE)).toBe(before);

  await contact.fill('web: https://example.org');
  await limit.fill('20');
  await limit.press('Enter');
  await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
  expect(await project.api('GET', '/team/developer')).toMatchObject({
    availability: { now: false, window_hours: 'Mon-Fri', sla: 'within a minute' },
    contact: { web: 'https://example.org' },
    rate_limits: { per_ip_per_minute: 20 },
  });
});

test('the raw text is written byte for byte, and shows against git', async ({ page, project }) => {
  project.git('add', '-A', '.mesh');
  project.git('commit', '-q', '-m', 'Keep the roster');
  const before = project.read(FILE);
  await open(page, project, '/team/developer?tab=file');
  await page.getByRole('navigation', { name: 'File as' }).getByRole('link', { name: 'Raw Markdown' }).click();
  const raw = page.getByRole('textbox', { name: FILE });
  await expect(raw).toHaveValue(before);
  const after = `${before.trimEnd()}\n\n## Last words\n\nThank the reviewer.\n`;
  await raw.fill(after);
  await page.getByRole('link', { name: 'Differences' }).click();
  const diff = page.getByRole('region', { name: 'Unsaved text against the file on disk' });
  await expect(diff.getByText('Thank the reviewer.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: /Raw Markdown/ }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
  expect(project.read(FILE)).toBe(after);
  await page.getByRole('link', { name: 'Differences' }).click();
  await expect(
    page.getByRole('region', { name: 'File on disk against git HEAD' }).getByText('Thank the reviewer.'),
  ).toBeVisible();

  const place = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' });
  await place.click();
  const row = page.locator('[data-at]').filter({ has: page.locator('[data-member=developer]') });
  await expect(row).toContainText('file changed');
  await expectAccessible(page);
  await row.getByRole('link', { name: 'Developer' }).click();
  await page.getByRole('navigation', { name: 'Developer' }).getByRole('link', { name: 'History' }).click();
  await expect(page.getByText('The file on disk differs from the last commit.')).toBeVisible();
  const commits = page.getByRole('list', { name: 'Commits' }).getByRole('listitem');
  await expect(commits).toHaveCount(1);

  project.git('commit', '-q', '-a', '-m', 'Thank the reviewer');
  await page.reload();
  await expect(page.getByText('The file on disk matches the last commit.')).toBeVisible();
  await expect(commits).toHaveCount(2);
  await page.getByRole('link', { name: 'Thank the reviewer' }).click();
  await expect(page).toHaveURL(/commit=[0-9a-f]{40}/);
  const change = page.getByRole('region', { name: 'What “Thank the reviewer” changed' });
  await expect(change.getByText('Thank the reviewer.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Keep the roster' }).click();
  await page.getByRole('button', { name: 'Open this version in the editor' }).click();
  await expect(page.getByRole('textbox', { name: FILE })).toHaveValue(before);
  expect(project.read(FILE)).toBe(after);
});

test.describe('a file that changes on disk while it is edited', () => {
  test('keeps the form’s changes, and carries them over when told to', async ({ page, project }) => {
    await open(page, project, '/team/developer?tab=file');
    const form = page.getByRole('form', { name: 'Developer, as a form' });
    await form.getByLabel('Model').fill('opus');
    const theirs = project.read(FILE).replace('limits: {turns: 60,', 'limits: {turns: 50,');
    project.write(FILE, theirs);
    const conflict = page.getByRole('alert').filter({ hasText: 'The file changed on disk since you started editing.' });
    await expect(conflict).toContainText('Your changes to model are still here, unsaved.');
    await expect(form.getByRole('button', { name: /^Save/ })).toHaveAttribute('aria-disabled', 'true');
    await expectAccessible(page);
    await conflict.getByRole('button', { name: 'Apply mine to the new file' }).click();
    await expect(conflict).toHaveCount(0);
    await expect(form.getByLabel('Turn limit per run')).toHaveValue('50');
    await form.getByRole('button', { name: /^Save/ }).click();
    await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
    expect(project.read(FILE)).toBe(theirs.replace('model: strongest', 'model: opus'));
  });

  test('is not written over by a page that has not heard of the change yet', async ({ page, project }) => {
    // The connection stays open but delivers no team events, so the daemon's error is the first that the page learns of
    // the change.
    await page.routeWebSocket(/\/events/, (line) => {
      const daemon = line.connectToServer();
      daemon.onMessage((frame) => {
        if (!String(frame).includes('"team.')) line.send(frame);
      });
    });
    await open(page, project, '/team/developer?tab=file');
    const form = page.getByRole('form', { name: 'Developer, as a form' });
    await form.getByLabel('Model').fill('opus');
    const theirs = project.read(FILE).replace('limits: {turns: 60,', 'limits: {turns: 50,');
    project.write(FILE, theirs);
    const refused = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await form.getByRole('button', { name: /^Save/ }).click();
    expect((await refused).status()).toBe(412);
    const conflict = page.getByRole('alert').filter({ hasText: 'The file changed on disk since you started editing.' });
    await expect(conflict).toBeVisible();
    expect(project.read(FILE)).toBe(theirs);
    await conflict.getByRole('button', { name: 'Apply mine to the new file' }).click();
    await expect(form.getByLabel('Turn limit per run')).toHaveValue('50');
    await form.getByRole('button', { name: /^Save/ }).click();
    await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
    expect(project.read(FILE)).toBe(theirs.replace('model: strongest', 'model: opus'));
  });

  test('keeps the raw text, shows the difference, and lets one take either', async ({ page, project }) => {
    await open(page, project, '/team/developer?tab=file&as=raw');
    const raw = page.getByRole('textbox', { name: FILE });
    await expect(raw).not.toHaveValue('');
    const mine = `${project.read(FILE)}\nMine.\n`;
    await raw.fill(mine);
    const theirs = `${project.read(FILE)}\nTheirs.\n`;
    project.write(FILE, theirs);
    const conflict = page.getByRole('alert').filter({ hasText: `${FILE} changed on disk since you started editing.` });
    await expectAccessible(page);
    await conflict.getByRole('link', { name: 'Show the difference' }).click();
    const diff = page.getByRole('region', { name: 'Unsaved text against the file on disk' });
    await expect(diff.getByText('Theirs.')).toBeVisible();
    await expect(diff.getByText('Mine.')).toBeVisible();
    await page.goBack();
    await expect(raw).toHaveValue(mine);
    await conflict.getByRole('button', { name: 'Use the version on disk' }).click();
    await expect(raw).toHaveValue(theirs);
    await raw.fill(mine);
    project.write(FILE, `${theirs}More of theirs.\n`);
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
    await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
    expect(project.read(FILE)).toBe(mine);

    // What is typed while it is saved is a change of the saved file.
    const saving = holdNext(page, '**/team/developer/file', 'PUT');
    await raw.fill(`${mine}Once.\n`);
    await page.getByRole('button', { name: /^Save/ }).click();
    const save = await saving;
    await raw.fill(`${mine}Twice.\n`);
    await save.continue();
    await expect.poll(() => project.read(FILE)).toBe(`${mine}Once.\n`);
    await page.getByRole('button', { name: /^Save/ }).click();
    await expect.poll(() => project.read(FILE)).toBe(`${mine}Twice.\n`);
    await expect(conflict).toHaveCount(0);
    await expect(page.getByText('As on disk.')).toBeVisible();
  });
});

test('what was typed and not saved is still there after leaving, reloading and coming back', async ({
  page,
  project,
}) => {
  await open(page, project, '/team/developer?tab=file');
  await page.getByLabel('Description').fill('Builds what the harbour needs.');
  await page.getByRole('link', { name: 'Team', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Team' })).toBeVisible();
  await page.goBack();
  await expect(page.getByLabel('Description')).toHaveValue('Builds what the harbour needs.');
  await page.reload();
  await expect(page.getByLabel('Description')).toHaveValue('Builds what the harbour needs.');
  await expect(page.getByRole('link', { name: /Form.*unsaved/ })).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByLabel('Description')).not.toHaveValue('Builds what the harbour needs.');
  await expect(page.getByText('As on disk.')).toBeVisible();
});

test('a new member is made from the form, and a taken id is refused with another', { tag: '@flow' }, async ({
  page,
  project,
}) => {
  await open(page, project, '/team');
  await page.getByRole('button', { name: 'New member' }).click();
  const dialog = page.getByRole('dialog', { name: 'New member' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await dialog.getByRole('button', { name: 'Create member' }).click();
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription('A member needs a name.');
  await expectAccessible(page);
  await dialog.getByLabel('Name').fill('Deployer');
  await dialog.getByLabel('Initial prompt').fill('You keep the lights.\n');
  await dialog.getByRole('button', { name: 'Create member' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The member was not created.');
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('button', { name: 'New member' }).click();
  await expect(dialog.getByLabel('Initial prompt')).toHaveValue('You keep the lights.\n');
  await dialog.getByLabel('Name').fill('Lamp Keeper');
  await expect(dialog.getByText('The file will be .mesh/team/lamp-keeper.md')).toBeVisible();
  await dialog.getByLabel('Description').fill('Keeps the lights.');
  await dialog.getByRole('button', { name: 'Create member' }).click();
  await expect(page).toHaveURL(/\/app\/team\/lamp-keeper\?tab=file/);
  await expect(page.getByRole('heading', { level: 1, name: /Lamp Keeper/ })).toBeVisible();
  const text = project.read('.mesh/team/lamp-keeper.md');
  expect(text).toContain('name: Lamp Keeper');
  expect(text).toContain('You keep the lights.');
});

test('a duplicate starts with the words of its model', async ({ page, project }) => {
  await open(page, project, '/team/deployer');
  await page.getByRole('button', { name: 'Duplicate' }).click();
  const dialog = page.getByRole('dialog', { name: 'New member' });
  await expect(dialog.getByLabel('Name')).toHaveValue('Deployer copy');
  await dialog.getByRole('button', { name: 'Create member' }).click();
  await expect(page).toHaveURL(/\/app\/team\/deployer-copy/);
  const { body } = await project.api<{ body: string }>('GET', '/team/deployer');
  expect((await project.api<{ body: string }>('GET', '/team/deployer-copy')).body).toBe(body);
});

test('the file of a deleted member comes back whole when it is restored', { tag: '@flow' }, async ({
  page,
  project,
}) => {
  const file = '.mesh/team/deployer.md';
  const before = project.read(file);
  await open(page, project, '/team/deployer');
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Deployer' });
  await expect(dialog.getByLabel('Type deployer to confirm')).toBeFocused();
  await expect(dialog.getByRole('button', { name: /^Delete/ })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  await dialog.getByLabel('Type deployer to confirm').fill('deployer');
  await dialog.getByRole('button', { name: /^Delete/ }).click();
  await expect(page).toHaveURL(/\/app\/team$/);
  // Hovering keeps the toast open, however long the rest takes.
  await page.getByText('Deployer is deleted.').hover();
  expect(existsSync(join(project.root, file))).toBe(false);
  await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(8);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await expect(page.getByText('Deployer is restored.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(9);
  expect(project.read(file)).toBe(before);
});

test('a singleton is protected, and says why', async ({ page, project }) => {
  await open(page, project, '/team/architect-master');
  const remove = page.getByRole('button', { name: /^Delete/ });
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await expect(remove).toHaveAccessibleName(/is a singleton and cannot be deleted/);
  await remove.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expectAccessible(page);
});
