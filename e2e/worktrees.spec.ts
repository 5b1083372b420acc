import { existsSync, readFileSync } from 'node:fs';
import type { Conversation } from '../daemon/contract/conversations.js';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';
import { findOverflowing } from './readable.js';

test.use({ client: 'acp', isolation: 'automatic' });

test('a conversation gets a worktree of its own, shows its folder and branch, and gives it up on System', async ({
  page,
  agent,
  project,
}) => {
  // What each new worktree is given, by keyboard.
  project.write('lamp.env', 'ANGLE=30\n');
  await open(page, project, '/system/settings');
  const places = page.getByRole('region', { name: 'Where conversations work' });
  const copied = places.getByLabel('Copied into a new worktree');
  await tabTo(page, copied);
  await page.keyboard.type('../*.env');
  const save = places.getByRole('button', { name: 'Save' });
  await tabTo(page, save);
  await page.keyboard.press('Enter');
  await expect(places.getByRole('alert')).toContainText('"../*.env" must not have empty parts, "." or "..".');
  await expectAccessible(page);
  await copied.focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('*.env');
  await tabTo(page, places.getByLabel('Set-up command'));
  await page.keyboard.type('echo BRIGHT=1 >> lamp.env');
  await tabTo(page, save);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Saved for the next worktrees.')).toBeVisible();
  await page.reload();
  await expect(copied).toHaveValue('*.env');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await findOverflowing(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 720 });

  agent.plays({ attempt: { edit: 'src/night.ts', text: 'export const NIGHT = 1;\n' } }, { text: 'It is night.' });
  const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'developer', title: 'Night' });
  await open(page, project, `/talk/${conv}`);
  const worksIn = page.getByRole('region', { name: 'Works in' });
  await expect(worksIn).toContainText('It may edit files.');

  // Another place is chosen beside client and model, by keyboard, until the first turn.
  await tabTo(page, page.getByRole('button', { name: 'Change' }));
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Works in' }).selectOption('project');
  await expectAccessible(page);
  await tabTo(page, page.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await expect(worksIn).toContainText('The project folder');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(worksIn).toContainText('A git worktree of its own');

  const box = page.getByRole('textbox', { name: 'Message to Developer' });
  await box.fill('Make it night');
  await box.press('Enter');
  const question = page.getByRole('group', { name: /asks:/ });
  await question.getByRole('button', { name: /Allow once/ }).click();
  await expect(worksIn).toContainText('meshd/developer/night');
  await expect(worksIn.getByRole('button', { name: 'Copy folder' })).toBeVisible();
  await page.getByRole('button', { name: 'Change' }).click();
  await expect(page.getByRole('combobox', { name: 'Works in' })).toHaveCount(0);
  await expectAccessible(page);
  const { folder } = await project.api<Conversation>('GET', `/conversations/${conv}`);
  expect(existsSync(`${folder}/src/night.ts`)).toBe(true);
  expect(existsSync(`${project.root}/src/night.ts`)).toBe(false);
  expect(readFileSync(`${folder}/lamp.env`, 'utf8')).toBe('ANGLE=30\nBRIGHT=1\n');

  await open(page, project, '/system/health');
  const list = page.getByRole('region', { name: 'Worktrees of conversations' });
  await expect(list).toContainText('1 changed file');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await list.getByRole('button', { name: 'Remove the worktree of Night' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove the worktree?' });
  await expect(dialog).toContainText('refs/meshd/kept');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await expect(list).toContainText('No conversation has a worktree.');
  expect(existsSync(folder)).toBe(false);
  const refs = project.git('for-each-ref', '--format=%(refname)', 'refs/meshd/kept').trim();
  expect(project.git('show', `${refs}:src/night.ts`)).toContain('NIGHT');
});
