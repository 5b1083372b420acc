import type { Conversation } from '../daemon/contract/conversations.js';
import { expect, expectAccessible, open, test } from './fixtures.js';

test.use({ client: 'claude-code' });

test('what runs a conversation is changed at its side, says what the client lacks, and is taken back', async ({
  page,
  project,
}) => {
  const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'developer' });
  await open(page, project, `/talk/${conv}`);
  const runsOn = page.getByRole('region', { name: 'Runs on' });
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Client').selectOption('builtin');
  await page.getByLabel('Effort').selectOption('default');
  await page.getByLabel('Model').fill('opus');
  await expect(page.getByText('builtin runs no model: opus would not be used.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(runsOn).toContainText('No model connected: search only');
  await expect(page.getByRole('button', { name: 'Change' })).toBeFocused();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(runsOn).toContainText('claude-code');
});

test('a member at work says so on the team page and leads to its conversation', async ({ page, agent, project }) => {
  agent.plays(
    { text: 'Looking.\n\n' },
    { permission: { name: 'Bash', input: { command: 'npm test' }, reason: 'The tests must run.' } },
  );
  const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'developer' });
  await project.api('POST', `/conversations/${conv}/messages`, { text: 'When do the lights go on?' });
  await open(page, project, '/team');
  const live = page.getByRole('link', { name: 'needs you in “When do the lights go on?”' });
  await expect(live).toBeVisible();
  await expectAccessible(page);
  await live.click();
  await expect(page).toHaveURL(new RegExp(`/talk/${conv}`));
});

test('Enter breaks the line when the operator prefers it, and Control with Enter sends', async ({ page, project }) => {
  const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'developer' });
  await open(page, project, '/system');
  await page.getByRole('radio', { name: 'inserts a new line' }).check();
  await expectAccessible(page);
  await open(page, project, `/talk/${conv}`);
  const box = page.getByRole('textbox', { name: 'Message to Developer' });
  await box.fill('a');
  await box.press('Enter');
  await page.keyboard.type('b');
  await expect(box).toHaveValue('a\nb');
  await box.press('Control+Enter');
  await expect(box).toHaveValue('');
});
