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
  // The file changes while the dialog is open: what is not edited there stays as it is in the file.
  project.write(FILE, project.read(FILE).replace('after: Tidy up', 'after: Tidy the quay'));
  await expect(task(page, 'after')).toContainText('Tidy the quay');
  await page.getByLabel('State').selectOption('done');
  const check = page.getByRole('textbox', { name: 'Check' });
  await check.fill('review @ui-reviewer');
  await expectAccessible(page, { within: 'dialog' });
  // A selection that is dragged out of the dialog does not close it.
  await check.hover();
  await page.mouse.down();
  await page.mouse.move(5, 5);
  await page.mouse.up();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(task(page, 'after')).toContainText('After ship · Check: review @ui-reviewer');
  await expect(task(page, 'after')).toContainText('Tidy the quay');

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
  // The roadmap has a button of the same name.
  await expect(page.getByRole('heading', { level: 1, name: /^quay: Draw both quays$/ })).toBeVisible();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.goBack();
  await expect(task(page, 'quay').getByText('blocked', { exact: true })).toBeVisible();
  await expect(task(page, 'quay')).toContainText('cancelled: Stopped by the operator.');
  expect(project.read(FILE)).toContain('- [-] quay: Draw both quays @ui-developer\n');
});

test('the board shows the same tasks, and moves them by dragging, by choice and by keyboard', async ({
  page,
  project,
}) => {
  const column = (name: string) => page.getByRole('list', { name: `${name} tasks` });
  const card = (id: string) => page.locator(`[data-task=${id}]`);
  const name = (id: string) => card(id).locator('[data-row]');
  const mark = (id: string) => new RegExp(`^- \\[(.)\\] ${id}:`, 'm').exec(project.read(FILE))?.[1];
  await open(page, project, '/roadmap');
  await page.getByRole('button', { name: 'Board' }).click();
  await expect(column('Open').getByRole('listitem')).toHaveText([/dusk/, /quay/, /ship/, /after/]);
  await expect(column('Done').getByRole('listitem')).toHaveText([/ports/]);
  await expect(card('after')).toContainText('Waits for ship');
  await expectAccessible(page);

  await card('quay').dragTo(page.getByRole('region', { name: 'Done', exact: true }));
  await expect(column('Done').getByRole('listitem')).toHaveText([/quay/, /ports/]);
  expect(mark('quay')).toBe('x');
  // A run alone makes a task running.
  await card('dusk').dragTo(page.getByRole('region', { name: 'Running', exact: true }));
  await expect(column('Open').getByRole('listitem')).toHaveText([/dusk/, /ship/, /after/]);
  await card('ship').getByLabel('State of ship').selectOption('blocked');
  await expect(column('Blocked').getByRole('listitem')).toHaveText([/ship/]);
  expect(mark('ship')).toBe('-');

  // The choice is kept, and the keyboard moves the focus and the cards.
  await page.reload();
  await expect(name('dusk')).toBeVisible();
  await page.keyboard.press('j');
  await expect(name('dusk')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(name('after')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(name('ports')).toBeFocused();
  await page.keyboard.press('Shift+ArrowLeft');
  await expect(column('Open').getByRole('listitem')).toHaveText([/dusk/, /ports/, /after/]);
  await expect(name('ports')).toBeFocused();
  await expect(page.getByRole('status').filter({ hasText: 'ports is open now.' })).toBeAttached();
  expect(mark('ports')).toBe(' ');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Edit ports' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(name('ports')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
  await page.mouse.click(5, 5);
  await expect(dialog).toHaveCount(0);
  await expect(name('ports')).toBeFocused();

  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await card('after').getByLabel('State of after').selectOption('done');
  await expect(column('Done').getByRole('listitem')).toHaveText([/quay/, /after/]);
  await page.getByRole('button', { name: 'List' }).click();
  await expect(tasks(page)).toHaveCount(5);
  await page.reload();
  await expect(tasks(page)).toHaveCount(5);
});
