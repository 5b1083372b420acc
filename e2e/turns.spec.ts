import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

test.use({ client: 'claude-code' });

const log = (page: Page) => page.getByRole('log', { name: 'Transcript' });
const status = (page: Page) => page.locator('main header').getByRole('status');
const waiting = (page: Page) => page.getByRole('region', { name: 'Waiting' });
const userMessages = (page: Page) => log(page).locator('p > strong');

async function sendMessage(page: Page, name: string, words: string): Promise<void> {
  const box = page.getByRole('textbox', { name: `Message to ${name}` });
  await box.fill(words);
  await box.press('Enter');
  await expect(box).toHaveValue('');
}

async function talkTo(page: Page, project: Project, member: string): Promise<void> {
  await open(page, project, `/team/${member}`);
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await expect(page).toHaveURL(/\/app\/talk\/conv-/);
}

/** Returns the process groups of the runs in the daemon's run journal. */
const journalled = (project: Project) =>
  readdirSync(join(project.root, '.mesh/state/runs')).filter((name) => /^\d+$/.test(name));

function isAlive(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
  } catch {
    return false;
  }
}

test('Stop ends the program and all that it started, also what hides from it', async ({ page, agent, project }) => {
  agent.plays(
    { ignoreSigterm: true },
    { fork: { count: 2 } },
    { fork: { count: 1, detached: true, deaf: true } },
    { tool: { name: 'Bash', input: { command: 'sleep 1000' }, unfinished: true } },
    { hang: true },
  );
  await talkTo(page, project, 'developer');
  await sendMessage(page, 'Developer', 'Keep watch all night');
  await expect(log(page).getByText('Bash sleep 1000')).toBeVisible();
  const started =
    (await log(page).innerText())
      .match(/pids [\d ]+/g)
      ?.join(' ')
      .match(/\d+/g) ?? [];
  const programs = [...journalled(project), ...started];
  expect(programs).toHaveLength(4);
  expect(programs.filter(isAlive)).toEqual(programs);

  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(status(page)).toHaveText('stopped');
  expect(programs.filter(isAlive)).toEqual([]);
  expect(journalled(project)).toEqual([]);
  await expect(log(page).getByText('You stopped this.')).toBeVisible();
  await expect(log(page).getByText('Bash sleep 1000')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /under way/ })).toHaveCount(0);
  await expectAccessible(page);

  agent.plays({ text: 'Good morning.' });
  await log(page).getByRole('button', { name: 'Retry' }).click();
  await expect(log(page).getByText('Good morning.')).toBeVisible();
  await expect(status(page)).toHaveText('answered');
});

test('what is said meanwhile waits and is sent in its order', async ({ page, agent, project }) => {
  for (const number of ['First', 'Second', 'Third'])
    agent.playsTo(`${number} thing`, agent.gate(number), { text: `${number} is done.` });
  await talkTo(page, project, 'developer');
  await sendMessage(page, 'Developer', 'First thing');
  await expect(status(page)).toHaveText('working');
  await expect(page.getByRole('button', { name: /^Queue/ })).toBeVisible();
  await sendMessage(page, 'Developer', 'Second thing');
  await sendMessage(page, 'Developer', 'Third thing');
  await expect(waiting(page).getByRole('heading')).toHaveText('2 wait');
  await expect(waiting(page).getByRole('listitem')).toHaveText([/^Second thing/, /^Third thing/]);
  await expectAccessible(page);
  await page.reload();
  await expect(waiting(page).getByRole('listitem')).toHaveText([/^Second thing/, /^Third thing/]);

  agent.open('First');
  await expect(log(page).getByText('First is done.')).toBeVisible();
  await expect(waiting(page).getByRole('heading')).toHaveText('1 waits');
  await expect(status(page)).toHaveText('working');
  agent.open('Second');
  await expect(log(page).getByText('Second is done.')).toBeVisible();
  await expect(waiting(page)).toHaveCount(0);
  agent.open('Third');
  await expect(status(page)).toHaveText('answered');
  await expect(userMessages(page)).toHaveText(['You', 'Developer', 'You', 'Developer', 'You', 'Developer']);
  await expect(log(page)).toHaveText(
    /First thing.*First is done\..*Second thing.*Second is done\..*Third thing.*Third is done\./s,
  );
});

test('what waits can be taken back one by one or all at once, and goes on when what runs is stopped', async ({
  page,
  agent,
  project,
}) => {
  agent.playsTo('Stay', { hang: true });
  agent.playsTo('Go on', { text: 'Here I am.' });
  await talkTo(page, project, 'developer');
  await sendMessage(page, 'Developer', 'Stay here');
  await expect(status(page)).toHaveText('working');
  for (const words of ['Forget this', 'Go on then']) await sendMessage(page, 'Developer', words);
  await waiting(page).getByRole('button', { name: 'Forget this' }).click();
  await expect(waiting(page).getByRole('listitem')).toHaveText([/^Go on then/]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('textbox', { name: 'Message to Developer' })).toHaveValue('Forget this');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(log(page).getByText('Here I am.')).toBeVisible();
  await expect(status(page)).toHaveText('answered');

  await sendMessage(page, 'Developer', 'Stay again');
  await expect(status(page)).toHaveText('working');
  for (const words of ['Go on again', 'Go on for good']) await sendMessage(page, 'Developer', words);
  await expect(waiting(page).getByRole('listitem')).toHaveCount(2);
  await waiting(page).getByRole('button', { name: 'Remove all' }).click();
  await expect(waiting(page)).toHaveCount(0);
  await expect(status(page)).toHaveText('working');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(status(page)).toHaveText('stopped');
  await expect(log(page).getByText('Here I am.')).toHaveCount(1);
  await expect(log(page).getByText('Removed before it started. No agent has read it.')).toHaveCount(3);
  expect(journalled(project)).toEqual([]);
});

test('a singleton that lives already is met where it lives', async ({ page, agent, project }) => {
  agent.plays({ text: 'The plan stands.' });
  await talkTo(page, project, 'architect-master');
  const home = page.url();
  await sendMessage(page, 'Architect master', 'Plan the quay');
  await expect(status(page)).toHaveText('answered');

  await open(page, project, '/talk');
  await page.getByRole('button', { name: 'New conversation' }).click();
  const begin = page.getByRole('dialog', { name: 'New conversation' });
  await begin.getByLabel('With').selectOption('architect-master');
  await begin.getByRole('button', { name: 'Start' }).click();
  await expect(begin.getByRole('alert')).toContainText(
    '`architect-master` is a singleton and lives in "Plan the quay"',
  );
  await expectAccessible(page);
  await begin.getByRole('link', { name: 'Open it' }).click();
  await expect(page).toHaveURL(home);
  await expect(log(page).getByText('The plan stands.')).toBeVisible();
  await expect(begin).toHaveCount(0);

  await talkTo(page, project, 'architect-master');
  await expect(page).toHaveURL(home);

  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unarchive' })).toBeVisible();
  await talkTo(page, project, 'architect-master');
  await expect(page).not.toHaveURL(home);
  await expect(page.getByText('No messages yet.')).toBeVisible();
  // A conversation in which nothing is said is gone when its page is left.
  await sendMessage(page, 'Architect master', 'Plan the pier');
  await expect(status(page)).toHaveText('answered');
  const second = page.url();
  await page.goto(home);
  await page.getByRole('button', { name: 'Unarchive' }).click();
  const refusal = page.getByRole('alert').filter({ hasText: 'is a singleton' });
  await expect(refusal).toBeVisible();
  await expectAccessible(page);
  await refusal.getByRole('link', { name: 'Open it' }).click();
  await expect(page).toHaveURL(second);
});
