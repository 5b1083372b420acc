import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

const FILE = '.mesh/roadmap.md';
const ROADMAP = `# Roadmap

- [ ] dusk: Let the lights come on earlier @developer
  check: command readme
- [ ] quay: Draw the quay @ui-developer
- [ ] ship: Release it @deployer
  check: command readme
- [x] ports: Document the status port
- [ ] after: Tidy up
  after: ship
`;

test.use({ client: 'claude-code', files: { [FILE]: ROADMAP } });

/** Sets the command that the tasks name, as the operator does in a terminal. */
const setCheck = (project: Project) => project.meshd('roadmap', 'checks', 'set', 'readme', 'test -e README.md');
const run = (page: Page) => page.getByRole('button', { name: /^Run/ });
const tasks = (page: Page) => page.getByRole('list', { name: 'Tasks' }).getByRole('listitem');
const task = (page: Page, id: string) => tasks(page).filter({ has: page.getByText(id, { exact: true }) });

test('a run hands the tasks to their members, and marks each from how its check ended', async ({
  page,
  agent,
  project,
}) => {
  for (const id of ['dusk', 'quay', 'ship', 'after'])
    agent.playsTo(`Task ${id} of`, agent.gate(id), { text: `${id} is finished.` });
  agent.playsTo('Task quay of', agent.gate('quay'), { error: 'No paper.' });
  await setCheck(project);
  await open(page, project, '/roadmap');
  await expect(tasks(page)).toHaveCount(5);
  await expect(page.getByRole('heading', { name: /^Tasks1 of 5 done$/ })).toBeVisible();

  await page.getByLabel('Parallel tasks').selectOption('2');
  await run(page).click();
  await expect(page.getByRole('heading', { name: /^Tasks, running1 of 5 done, 2 running$/ })).toBeVisible();
  for (const id of ['dusk', 'quay']) await expect(task(page, id).getByText('working', { exact: true })).toBeVisible();
  await expect(task(page, 'ship').getByText('open', { exact: true })).toBeVisible();
  await expectAccessible(page);

  agent.open('quay');
  await expect(task(page, 'quay').getByText('blocked', { exact: true })).toBeVisible();
  await expect(task(page, 'quay')).toContainText('failed: The client failed: Claude Code could not answer: No paper.');
  await expect(task(page, 'ship').getByText('working', { exact: true })).toBeVisible();
  expect(project.read(FILE)).toMatch(/^- \[-\] quay: Draw the quay @ui-developer\n {2}reason: failed: .*No paper\.$/m);

  await task(page, 'ship').getByRole('link', { name: 'Watch' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'ship: Release it' })).toBeVisible();
  await expect(page.locator('main header').getByRole('link', { name: 'Deployer' })).toBeVisible();
  agent.open('ship');
  await expect(page.getByRole('log').getByText('ship is finished.')).toBeVisible();
  await page.goBack();
  await expect(task(page, 'ship').getByText('done', { exact: true })).toBeVisible();
  await expect(task(page, 'after').getByText('working', { exact: true })).toBeVisible();
  agent.open('dusk');
  agent.open('after');
  await expect(page.getByRole('heading', { name: /^Tasks3 of 5 done, 2 blocked$/ })).toBeVisible();
  await expect(run(page)).toHaveAttribute('aria-disabled', 'true');
  await expect(task(page, 'after')).toContainText('answered, and no check says that it is done');
  await task(page, 'after').getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByLabel('Waits for')).toHaveValue('ship');
  await page.getByLabel('State').selectOption('done');
  await page.getByRole('textbox', { name: 'Check' }).fill('review @ui-reviewer');
  await expectAccessible(page, { within: 'dialog' });
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(task(page, 'after')).toContainText('After ship · Check: review @ui-reviewer');

  const checks = page.getByRole('list', { name: 'Check commands' }).getByRole('listitem');
  await expect(checks).toHaveText([/readme.*test -e README\.md/]);
  await page.getByLabel('Name', { exact: true }).fill('lint');
  await page.getByLabel('Command', { exact: true }).fill('npm run lint');
  await page.keyboard.press('Enter');
  await expect(checks).toHaveText([/readme/, /lint.*npm run lint/]);
  await page.getByRole('button', { name: 'Remove lint' }).click();
  await expect(checks).toHaveText([/readme/]);
  await page.getByLabel('Name', { exact: true }).fill('Two words');
  await page.getByLabel('Command', { exact: true }).fill('true');
  await page.getByRole('button', { name: 'Set command' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'is no name of a check' })).toBeVisible();
  await expect(task(page, 'dusk').getByRole('link', { name: 'Conversation' })).toBeVisible();
  expect(project.read(FILE).match(/^- \[x\] /gm)).toHaveLength(4);
  await expectAccessible(page);
});

test('stopping hands out nothing more and lets what runs end', async ({ page, agent, project }) => {
  await setCheck(project);
  for (const id of ['dusk', 'quay']) agent.playsTo(`Task ${id} of`, agent.gate(id), { text: `${id} is finished.` });
  await open(page, project, '/roadmap');
  await run(page).click();
  await expect(task(page, 'dusk').getByText('working', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(run(page)).toBeVisible();
  await expect(task(page, 'dusk').getByText('working', { exact: true })).toBeVisible();
  agent.open('dusk');
  await expect(task(page, 'dusk').getByText('done', { exact: true })).toBeVisible();
  await expect(task(page, 'quay').getByText('open', { exact: true })).toBeVisible();

  project.write(FILE, project.read(FILE).replace('Draw the quay', 'Draw both quays'));
  await run(page).click();
  await expect(task(page, 'quay')).toContainText('Draw both quays');
  await expect(task(page, 'quay').getByText('working', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await task(page, 'quay').getByRole('link', { name: 'Watch' }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.goBack();
  await expect(task(page, 'quay').getByText('blocked', { exact: true })).toBeVisible();
  await expect(task(page, 'quay')).toContainText('cancelled: Stopped by the operator.');
  expect(project.read(FILE)).toContain('- [-] quay: Draw both quays @ui-developer\n');
});
