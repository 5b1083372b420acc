import type { Page } from '@playwright/test';
import type { Conversation, MessageList } from '../daemon/contract/conversations.js';
import { change } from './a-change.js';
import { expect, expectAccessible, open, type Project, tabTo, test } from './fixtures.js';

test.use({
  client: 'claude-code',
  files: { 'src/lamp.ts': 'export const angle = 30;\n// two\n// three\n// four\nexport const end = 1;\n' },
});

const file = (page: Page, path: string) => page.getByRole('region', { name: path, exact: true });
const lines = (first: string) => `${first}\n// two\n// three\n// four\nexport const end = 1;\n`;

const begin = (project: Project, isolation: 'project' | 'worktree') =>
  project.api<Conversation>('POST', '/conversations', { member: 'developer', title: 'Turn the lamp', isolation });

test('changes are read and commented on by mouse and by keyboard, and sent as one message', { tag: '@flow' }, async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await begin(project, 'project');
  await change(project, agent, conv, {
    'src/lamp.ts': lines('export const angle = 45; // \u202e<img src=x onerror=alert(1)>'),
    'package-lock.json': '{}\n',
    'src/new.ts': 'export const fresh = true;\nexport const other = 2;\n',
  });
  await open(page, project, `/talk/${conv}`);
  await expect(page.getByRole('link', { name: 'Show changes 3 files +4 −1' })).toBeVisible();
  await page.getByRole('link', { name: 'Changes 3 files +4 −1', exact: true }).click();

  const lamp = file(page, 'src/lamp.ts');
  await expect(lamp).toContainText('<img src=x onerror=alert(1)>');
  await expect(lamp).not.toContainText('\u202e');
  await expect(
    file(page, 'package-lock.json').getByRole('button', { name: 'package-lock.json', exact: true }),
  ).toHaveAttribute('aria-expanded', 'false');
  await page.getByRole('button', { name: 'Split' }).click();
  await expect(lamp.getByRole('button', { name: 'Comment on line 1 before the change' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Unified' }).click();

  await lamp.getByRole('button', { name: 'Comment on line 1', exact: true }).click();
  await lamp.getByRole('textbox', { name: 'Comment on line 1' }).fill('Say why.');
  await page.reload();
  await lamp.getByRole('button', { name: 'Comment on line 1', exact: true }).click();
  await expect(lamp.getByRole('textbox', { name: 'Comment on line 1' })).toHaveValue('Say why.');
  await lamp.getByRole('button', { name: 'Save draft' }).click();
  await expect(lamp.getByRole('article', { name: 'Comment of You on line 1' })).toContainText('Say why.');

  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText(
    'Changes: next and previous hunk',
  );
  await page.keyboard.press('Escape');

  // By keyboard: to the last hunk, down one line and one more with Shift, a comment on both.
  await page.getByRole('heading', { level: 1 }).click();
  for (const key of ['j', 'j', 'ArrowDown', 'Shift+ArrowDown', 'Enter']) await page.keyboard.press(key);
  const fresh = file(page, 'src/new.ts');
  await expect(fresh.getByRole('textbox', { name: 'Comment on lines 1 to 2' })).toBeFocused();
  await page.keyboard.type('Both are unused.');
  await page.keyboard.press('Control+Enter');
  const draft = fresh.getByRole('article', { name: 'Comment of You on lines 1 to 2' });
  await expect(draft).toContainText('Both are unused.');
  await expectAccessible(page);
  await draft.getByRole('button', { name: 'Delete' }).click();
  await expect(draft).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(draft).toBeVisible();

  await page.getByRole('button', { name: /^modified: src\/lamp\.ts/ }).press('Enter');
  for (const key of [']', '[', 'v']) await page.keyboard.press(key);
  await expect(lamp.getByRole('checkbox', { name: 'Viewed src/lamp.ts' })).toBeChecked();
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('button', { name: 'Split' })).toHaveCount(0);
  await expectAccessible(page);

  agent.plays({ text: 'Thank you.' });
  await expect(page.getByRole('form', { name: 'Drafts' })).toContainText('2 drafts');
  await tabTo(page, page.getByRole('button', { name: 'Send to Developer' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Drafts' })).toHaveCount(0);
  await expect(draft).toContainText('sent');
  const { messages } = await project.api<MessageList>('GET', `/conversations/${conv}/messages`);
  const sent = messages.filter(({ role, text }) => role === 'user' && text.includes('Say why.'));
  expect(sent).toHaveLength(1);
  expect(sent[0]?.text).toContain('Both are unused.');
});

test('rewind, revert and fork say what changes and can be undone', async ({ page, agent, project }) => {
  const { conv } = await begin(project, 'project');
  await change(project, agent, conv, { 'src/lamp.ts': lines('export const angle = 45;') });
  await change(project, agent, conv, { 'src/lamp.ts': lines('export const angle = 60;'), 'src/new.ts': 'new\n' });
  await open(page, project, `/talk/${conv}`);
  const rewind = page.getByRole('button', { name: 'Rewind or fork' });
  await expect(rewind).toHaveCount(2);
  await tabTo(page, rewind.first());
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Rewind or fork: Turn 1/ });
  await expect(dialog).toContainText('2 files change back.');
  await expect(dialog.getByText('src/new.ts is removed')).toBeVisible();
  await expectAccessible(page, { within: 'dialog' });
  await dialog.getByRole('button', { name: 'Rewind', exact: true }).press('Enter');
  await expect(dialog).toHaveCount(0);
  expect(project.read('src/lamp.ts')).toContain('angle = 45');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Undone.')).toBeVisible();
  expect(project.read('src/lamp.ts')).toContain('angle = 60');
  expect(project.read('src/new.ts')).toBe('new\n');

  await page
    .getByRole('link', { name: /^Show changes/ })
    .last()
    .click();
  await expect(page.getByLabel('Changes of', { exact: true }).locator('option:checked')).toHaveText(/^Turn 2/);
  await page.getByLabel('Changes of', { exact: true }).selectOption('Since the start or the last merge');
  await page.getByRole('button', { name: 'Revert hunk 1 of src/lamp.ts' }).click();
  await expect(file(page, 'src/lamp.ts')).toHaveCount(0);
  expect(project.read('src/lamp.ts')).toContain('angle = 30');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(file(page, 'src/lamp.ts')).toBeVisible();

  await page.getByText(/^Checkpoints \(\d+\)$/).click();
  await page.getByRole('button', { name: /^Rewind or fork: Turn 1/ }).click();
  await dialog.getByRole('radio', { name: /^Fork/ }).check();
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await expect(page).toHaveURL((url) => /\/talk\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(conv));
});

test('a merge names its conflicts, and merges by keyboard with the command that undoes it', { tag: '@flow' }, async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await begin(project, 'worktree');
  await change(project, agent, conv, { 'src/lamp.ts': lines('export const angle = 45;') });
  expect(project.read('src/lamp.ts')).toContain('angle = 30');
  project.git('branch', 'old');
  project.write('src/lamp.ts', lines('export const angle = 90;'));
  project.git('commit', '-q', '-a', '-m', 'Turn it further');
  await open(page, project, `/talk/${conv}/changes`);
  await page.getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge' });
  await expect(dialog.getByRole('list', { name: 'Conflicts' })).toHaveText('src/lamp.ts');
  await expect(dialog.getByRole('button', { name: /^Merge into/ })).toHaveCount(0);
  await expectAccessible(page, { within: 'dialog' });

  await dialog.getByLabel('Into branch').selectOption('old');
  await dialog.getByRole('radio', { name: /^Squash/ }).press('Space');
  await dialog.getByRole('textbox', { name: 'Commit message' }).fill('Turn the lamp');
  await expectAccessible(page, { within: 'dialog' });
  await tabTo(page, dialog.getByRole('button', { name: 'Merge into old' }));
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('Merged into old');
  await expect(dialog.getByText(/^git /)).toBeVisible();
  expect(project.git('show', 'old:src/lamp.ts')).toContain('angle = 45');
  expect(project.git('log', '-1', '--format=%s', 'old').trim()).toBe('Turn the lamp');
});
