import type { Page } from '@playwright/test';
import type { Conversation, ConversationList, MessageList } from '../daemon/contract/conversations.js';
import { change } from './a-change.js';
import { escComposition, expect, expectAccessible, open, type Project, test } from './fixtures.js';
import { byKeyboard } from './keyboard/keys.js';

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
  await escComposition(lamp.getByRole('textbox', { name: 'Comment on line 1' }));
  await expect(lamp.getByRole('textbox', { name: 'Comment on line 1' })).toBeFocused();
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

  const fresh = file(page, 'src/new.ts');
  const draft = fresh.getByRole('article', { name: 'Comment of You on lines 1 to 2' });
  await byKeyboard(page, async (keys) => {
    // To the last hunk, down one line and one more with Shift, a comment on both.
    await keys.press('j', 'j', 'ArrowDown', 'Shift+ArrowDown', 'Enter');
    await keys.expectAt(fresh.getByRole('textbox', { name: 'Comment on lines 1 to 2' }));
    await keys.type('Both are unused.');
    await keys.press('Control+Enter');
    await expect(draft).toContainText('Both are unused.');
  });
  await expectAccessible(page);
  await draft.getByRole('button', { name: 'Delete' }).click();
  await expect(draft).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(draft).toBeVisible();

  await page.getByRole('button', { name: /^modified: src\/lamp\.ts/ }).press('Enter');
  for (const key of [']', '[', 'v']) await page.keyboard.press(key);
  await expect(lamp.getByRole('checkbox', { name: 'Viewed src/lamp.ts' })).toBeChecked();

  const hides = page.getByRole('checkbox', { name: 'Hide viewed files' });
  const list = page.getByRole('list', { name: 'Changed files' });
  await hides.check();
  await expect(lamp).toHaveCount(0);
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(page).toHaveURL(/viewed=hidden/);
  // What gets viewed is hidden at once, and the focus goes to the file after it, or before it.
  await fresh.getByRole('button', { name: 'src/new.ts', exact: true }).focus();
  await page.keyboard.press('v');
  await expect(page.getByText('2 viewed files hidden')).toBeVisible();
  const lock = file(page, 'package-lock.json').getByRole('button', { name: 'package-lock.json', exact: true });
  await expect(lock).toBeFocused();
  await page.keyboard.press('v');
  await expect(page.getByText('You have viewed all files.')).toBeVisible();
  await expectAccessible(page);
  // A mark belongs to one version of a change.
  project.write('src/lamp.ts', lines('export const angle = 46;'));
  await page.reload();
  await expect(lamp).toContainText('angle = 46');
  await expect(page.getByText('2 viewed files hidden')).toBeVisible();
  await byKeyboard(page, async (keys) => {
    await keys.reach(hides, { within: 40 });
    await keys.press('Space');
  });
  await expect(list.getByRole('listitem')).toHaveCount(3);
  await expect(page).not.toHaveURL(/viewed=/);
  await fresh.getByRole('checkbox', { name: 'Viewed src/new.ts' }).uncheck();
  await expect(draft).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(page.getByRole('button', { name: 'Split' })).toHaveCount(0);
  await expectAccessible(page);

  agent.plays({ text: 'Thank you.' });
  await expect(page.getByRole('form', { name: 'Drafts' })).toContainText('2 drafts');
  await byKeyboard(page, (keys) => keys.enter(page.getByRole('button', { name: 'Send to Developer' }), 80));
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
  const dialog = page.getByRole('dialog', { name: /^Rewind or fork: Turn 1/ });
  const countMessages = async () =>
    (await project.api<MessageList>('GET', `/conversations/${conv}/messages`)).messages.length;
  const before = await countMessages();
  const isUndone = async () => {
    await expect(page.getByText('Undone.').last()).toBeVisible();
    await expect.poll(() => project.read('src/lamp.ts')).toContain('angle = 60');
    expect(project.read('src/new.ts')).toBe('new\n');
    await expect.poll(countMessages).toBe(before);
  };
  await byKeyboard(page, async (keys) => {
    await keys.back(rewind.first(), 60);
    await keys.press('Enter');
    await expect(dialog).toContainText('2 files change back.');
    await expect(dialog.getByText('src/new.ts is removed')).toBeVisible();
    await expectAccessible(page, { within: 'dialog' });
    await keys.enter(dialog.getByRole('button', { name: 'Rewind', exact: true }));
    await expect(dialog).toHaveCount(0);
    expect(project.read('src/lamp.ts')).toContain('angle = 45');
    await keys.press('u');
    await isUndone();
  });

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

  const checkpoints = page.getByText(/^Checkpoints \(\d+\)$/);
  const turn = page.getByRole('button', { name: /^Rewind or fork: Turn 1/ });
  await checkpoints.click();
  await turn.click();
  await dialog.getByRole('radio', { name: /^Files and conversation/ }).check();
  await dialog.getByRole('button', { name: 'Rewind', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  expect(project.read('src/lamp.ts')).toContain('angle = 45');
  expect(await countMessages()).toBe(before / 2);
  await page.getByRole('button', { name: 'Undo' }).click();
  await isUndone();
  await turn.click();
  await dialog.getByRole('radio', { name: /^Fork/ }).check();
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  const isForked = (url: URL) => /\/talk\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(conv);
  await expect(page).toHaveURL(isForked);

  await byKeyboard(page, async (keys) => {
    await keys.open(project, `/talk/${conv}/changes`);
    await keys.enter(checkpoints, 60);
    await keys.enter(turn, 30);
    await keys.choose(dialog.getByRole('radio', { name: /^Fork/ }), dialog);
    await keys.enter(dialog.getByRole('button', { name: 'Fork', exact: true }));
    await expect(page).toHaveURL(isForked);
    const { conversations } = await project.api<ConversationList>('GET', '/conversations');
    expect(conversations).toHaveLength(3);
  });
});

test('a merge names its conflicts, and merges with the command that undoes it', { tag: '@flow' }, async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await begin(project, 'worktree');
  await change(project, agent, conv, { 'src/lamp.ts': lines('export const angle = 45;') });
  expect(project.read('src/lamp.ts')).toContain('angle = 30');
  for (const branch of ['old', 'older']) project.git('branch', branch);
  project.write('src/lamp.ts', lines('export const angle = 90;'));
  project.git('commit', '-q', '-a', '-m', 'Turn it further');
  const dialog = page.getByRole('dialog', { name: 'Merge' });
  const into = dialog.getByLabel('Into branch');
  const conflicts = dialog.getByRole('list', { name: 'Conflicts' });
  const message = dialog.getByRole('textbox', { name: 'Commit message' });
  const isMerged = async (branch: string, title: string) => {
    await expect(dialog).toContainText(`Merged into ${branch}`);
    await expect(dialog.getByText(/^git /)).toBeVisible();
    expect(project.git('show', `${branch}:src/lamp.ts`)).toContain('angle = 45');
    expect(project.git('log', '-1', '--format=%s', branch).trim()).toBe(title);
  };
  await byKeyboard(page, async (keys) => {
    await keys.open(project, `/talk/${conv}/changes`);
    await keys.enter(page.getByRole('button', { name: 'Merge' }), 40);
    await expect(conflicts).toHaveText('src/lamp.ts');
    await expect(dialog.getByRole('button', { name: /^Merge into/ })).toHaveCount(0);
    await expectAccessible(page, { within: 'dialog' });
    await keys.reach(into);
    await keys.type('old');
    await expect(into).toHaveValue('old');
    await keys.expectAt(into);
    await keys.choose(dialog.getByRole('radio', { name: /^Squash/ }), dialog);
    await keys.write(message, 'Turn the lamp');
    await expectAccessible(page, { within: 'dialog' });
    await keys.enter(dialog.getByRole('button', { name: 'Merge into old' }));
    await isMerged('old', 'Turn the lamp');
    await keys.enter(dialog.getByRole('button', { name: 'Done' }));
    await expect(dialog).toHaveCount(0);
  });

  await page.getByRole('button', { name: 'Merge' }).click();
  await into.selectOption('main');
  await expect(conflicts).toHaveText('src/lamp.ts');
  await into.selectOption('older');
  await dialog.getByRole('radio', { name: /^Squash/ }).check();
  await message.fill('Turn it');
  await dialog.getByRole('button', { name: 'Merge into older' }).click();
  await isMerged('older', 'Turn it');
});
