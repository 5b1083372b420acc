import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation, MessageList } from '../daemon/contract/conversations.js';
import { beginChange, change } from './a-change.js';
import { expect, expectAccessible, open, type Project, tabTo, test } from './fixtures.js';

const LAMP = 'export const angle = 30;\n// two\n';
test.use({ client: 'claude-code', files: { 'src/lamp.ts': LAMP } });

const begin = (project: Project, isolation: 'project' | 'worktree') =>
  project.api<Conversation>('POST', '/conversations', { member: 'developer', title: 'Turn the lamp', isolation });

test('the page of changes says when there are none, while a turn runs, after an error, without git and offline', async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await begin(project, 'project');
  await open(page, project, `/talk/${conv}/changes`);
  await expect(page.getByText('No file differs between these two states.')).toBeVisible();
  await expectAccessible(page);

  const { end } = await beginChange(project, agent, conv, () => project.write('src/lamp.ts', LAMP.replace('30', '45')));
  await expect(page.getByText('A turn is running. What it changed is read again at its end.')).toBeVisible();
  await expectAccessible(page);
  await end();
  const lamp = page.getByRole('region', { name: 'src/lamp.ts', exact: true });
  await expect(lamp).toContainText('angle = 45');
  await expect(page.getByText(/^A turn is running/)).toHaveCount(0);

  await page.route(/\/conversations\/[^/]+\/changes(\?|$)/, (route) =>
    route.fulfill({ status: 500, json: { error: 'internal', message: 'The disk is away.' } }),
  );
  await page.reload();
  const failed = page.getByRole('alert').filter({ hasText: 'The changes could not be read.' });
  await expect(failed).toContainText('The disk is away.');
  await expectAccessible(page);
  await page.unroute(/\/conversations\/[^/]+\/changes(\?|$)/);
  await failed.getByRole('button').press('Enter');
  await expect(lamp).toContainText('angle = 45');

  rmSync(join(project.root, '.git'), { recursive: true });
  await page.reload();
  await expect(page.getByText(/not in a working tree of git: run git init|run `git init`/)).toBeVisible();
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page);

  await project.kill('SIGKILL');
  await expect(page.locator('main')).toHaveAttribute('data-line', 'offline');
  await expect(page.getByRole('button', { name: 'Ask for a review' })).toHaveAccessibleDescription(
    'The daemon cannot be reached.',
  );
  await expectAccessible(page);
});

test('a review is asked for and its drafts are worked on, and conflicts are handed over, by mouse and keyboard', async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await begin(project, 'worktree');
  await change(project, agent, conv, { 'src/lamp.ts': LAMP.replace('30', '45') });
  project.write('src/lamp.ts', LAMP.replace('30', '90'));
  project.git('commit', '-q', '-a', '-m', 'Turn it further');
  const remarks = [
    { path: 'src/lamp.ts', line: 1, text: 'Name the unit.' },
    { path: 'src/lamp.ts', text: 'Say why.' },
  ];
  agent.playsTo('Review these changes', { text: `\`\`\`json\n${JSON.stringify(remarks)}\n\`\`\`\n` });
  agent.playsTo('Your changes conflict', { text: 'I resolve them.' });
  await open(page, project, `/talk/${conv}/changes`);
  const ask = page.getByRole('button', { name: 'Ask for a review' });
  await tabTo(page, ask);
  await page.keyboard.press('Enter');
  const reviewers = page.getByRole('list', { name: 'Reviewers' });
  await expect(reviewers.getByRole('button')).toHaveCount(2);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(reviewers).toHaveCount(0);
  await expect(ask).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('list', { name: 'Reviews that were asked for' })).toContainText('has reviewed');

  const onLine = page.getByRole('article', { name: 'Comment of commit-pr-reviewer on line 1' });
  await expect(onLine).toContainText('Name the unit.');
  await expect(page.getByRole('form', { name: 'Drafts' })).toContainText('2 drafts');
  await expectAccessible(page);
  await onLine.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Comment on line 1' }).fill('Name the unit: degrees.');
  await page.keyboard.press('Control+Enter');
  await expect(onLine).toContainText('Name the unit: degrees.');
  const onFile = page.getByRole('article', { name: 'Comment of commit-pr-reviewer on the whole file' });
  await onFile.getByRole('button', { name: 'Delete' }).press('Enter');
  await expect(page.getByRole('form', { name: 'Drafts' })).toContainText('1 draft');

  await page.getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge' });
  await tabTo(page, dialog.getByRole('button', { name: 'Let Developer resolve the conflicts' }));
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('status')).toContainText('Developer was told to resolve them.');
  await expectAccessible(page, { within: 'dialog' });
  const { messages } = await project.api<MessageList>('GET', `/conversations/${conv}/messages`);
  expect(messages.filter(({ role, text }) => role === 'user' && text.includes('src/lamp.ts'))).toHaveLength(1);
});
