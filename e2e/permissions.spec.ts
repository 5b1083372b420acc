import type { Page } from '@playwright/test';
import { expect, expectAccessible, expectLive, expectTakesKeys, open, type Project, tabTo, test } from './fixtures.js';
import type { Step } from './scripted-agent.js';

const log = (page: Page) => page.getByRole('log', { name: 'Transcript' });
const status = (page: Page) => page.locator('main header').getByRole('status');
const question = (page: Page) => page.getByRole('group', { name: /asks:/ });
const tray = (page: Page) => page.getByRole('link', { name: /^Needs you \(\d+\)$/ });

/** Starts a conversation with the developer and sends a message. */
async function talk(page: Page, project: Project): Promise<void> {
  await open(page, project, '/team/developer');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  const box = page.getByRole('textbox', { name: 'Message to Developer' });
  await box.fill('Put the house in order');
  await box.press('Enter');
}

const STEP: Record<'claude-code' | 'acp', (command: string) => Step> = {
  'claude-code': (command) => ({ permission: { name: 'Bash', input: { command }, reason: 'The tests must run.' } }),
  acp: (command) => ({ permission: { title: `Run ${command}`, kind: 'execute', input: { command } } }),
};
const TOLD = {
  'claude-code': {
    allowed: /Told \{"behavior":"allow","updatedInput":/,
    denied: /Told \{"behavior":"deny","message":"The operator did not allow this\./,
  },
  acp: {
    allowed: /Told \{"outcome":"selected","optionId":"once"\}/,
    denied: /Told \{"outcome":"selected","optionId":"no"\}/,
  },
} as const;

for (const client of ['claude-code', 'acp'] as const) {
  test.describe(`with ${client}`, () => {
    test.use({ client });

    test('a question is asked where one talks: once, no, always in this conversation', { tag: '@flow' }, async ({
      page,
      agent,
      project,
    }) => {
      const commands = ['npm ci', 'npm test', 'npm run lint', 'npm run build'];
      agent.plays(...commands.map((command) => STEP[client](command)), { text: 'All is done.' });
      await talk(page, project);
      await expect(question(page)).toContainText('npm ci');
      await expect(question(page).getByText(/^Denied in .* unless you answer\.$/)).toBeVisible();
      await expect(status(page)).toHaveText('needs you');
      await expect(page).toHaveTitle(/^\(1\) Put the house in order/);
      await expect(tray(page)).toHaveText('Needs you (1)');
      if (client === 'claude-code') await expectAccessible(page);

      await question(page)
        .getByRole('button', { name: /Allow once/ })
        .click();
      await expect(log(page).getByText(TOLD[client].allowed)).toHaveCount(1);
      await expect(question(page)).toContainText('npm test');
      await tabTo(page, question(page).getByRole('button', { name: /^3\s*Deny/ }));
      await expectTakesKeys(question(page));
      await page.keyboard.press('3');
      await expect(log(page).getByText(TOLD[client].denied)).toBeVisible();
      await expect(question(page)).toContainText('npm run lint');
      await page.reload();
      await expectLive(page);
      await expect(question(page)).toContainText('npm run lint');
      await expect(page).toHaveTitle(/^\(1\)/);
      await expect(question(page).locator('pre')).toHaveText('Command: npm run lint');
      await expect(question(page).getByText(/^In .*\. It sees .*PATH/)).toBeVisible();
      await question(page).getByLabel('Always allows').selectOption('commands that begin with npm run');
      await question(page)
        .getByRole('button', { name: /Always in this conversation/ })
        .click();
      await expect(status(page)).toHaveText('answered');
      await expect(log(page).getByText('All is done.')).toBeVisible();
      await expect(tray(page)).toHaveCount(0);
      await expect(page).toHaveTitle(/^Put the house in order/);
      await expect(log(page).getByRole('list', { name: 'Tools used' }).getByRole('listitem')).toHaveText([
        /npm ci · .* done/,
        /npm test · .* failed/,
        /npm run lint · .* done/,
        /npm run build · .* done/,
      ]);

      await talk(page, project);
      await expect(question(page)).toContainText('npm ci');
    });
  });
}

test.describe('a change', () => {
  test.use({ client: 'claude-code', files: { 'src/lamp.ts': 'export const lamp = 1;\n' } });

  test('is shown as a diff, allowed for its folder by keyboard, and the rule is taken back', async ({
    page,
    agent,
    project,
  }) => {
    const edit = (file_path: string, new_string: string) => ({
      permission: { name: 'Edit', input: { file_path, old_string: 'lamp = 1', new_string }, reason: '' },
    });
    const hidden = 'lamp = 2; // \u202e<img src=x onerror=alert(1)>';
    agent.plays(edit('src/lamp.ts', hidden), edit('src/quay.ts', 'x'), { text: 'Changed.' });
    await page.setViewportSize({ width: 360, height: 740 });
    await talk(page, project);
    const diff = question(page).getByRole('region', { name: 'Diff of src/lamp.ts' });
    await expect(diff.getByText('removed: lamp = 1')).toBeVisible();
    await expect(diff).toContainText('<img src=x onerror=alert(1)>');
    await expect(diff).not.toContainText('\u202e');
    await expectAccessible(page);
    const rule = question(page).getByLabel('Always allows');
    await tabTo(page, rule);
    await page.keyboard.press('ArrowDown');
    await expect(rule.locator('option:checked')).toHaveText('changes below src/');
    await question(page).getByLabel('Where').selectOption('in all conversations of Developer');
    await tabTo(page, question(page).getByRole('button', { name: /Always for Developer/ }));
    await expectTakesKeys(question(page));
    await page.keyboard.press('Enter');
    await expect(log(page).getByText('Changed.')).toBeVisible();
    await open(page, project, '/system/security');
    const rules = page.getByRole('region', { name: /^Always allowed/ });
    await expect(rules.getByRole('listitem')).toHaveText([/changes below src\/.*developer, used once/]);
    await rules.getByRole('button', { name: 'Take back: changes below src/' }).click();
    await expect(rules.getByText('Agents ask before each action that needs a permission.')).toBeVisible();
    await talk(page, project);
    await expect(question(page)).toBeVisible();
  });
});

test.describe('from the Desk', () => {
  test.use({ client: 'claude-code' });

  test('questions of two members wait in one place and are answered there', async ({
    page,
    context,
    agent,
    project,
  }) => {
    agent.playsTo('lights', STEP['claude-code']('npm run dusk'), { text: 'Dark.' });
    agent.playsTo('harbour', STEP['claude-code']('npm run harbour'), { text: 'Calm.' });
    const away = await context.newPage();
    await open(away, project, '/team');
    await open(page, project);
    await expect(page.getByText('Nothing needs you.')).toBeVisible();
    const convs: string[] = [];
    for (const [member, text] of [
      ['developer', 'Switch the lights off'],
      ['deployer', 'Look at the harbour'],
    ]) {
      const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member });
      await project.api('POST', `/conversations/${conv}/messages`, { text });
      convs.push(conv);
      await expect(page.getByRole('heading', { name: `Needs you${convs.length}` })).toBeVisible();
    }
    const needs = page.getByRole('region', { name: /^Needs you/ });
    await expect(needs.getByRole('group')).toHaveText([
      /Developer asks: Bash npm run dusk/,
      /Deployer asks: Bash npm run harbour/,
    ]);
    await expect(page).toHaveTitle(/^\(2\) Home/);
    await expect(page.getByRole('alert').filter({ hasText: 'Needs you: 2' })).toBeAttached();
    await expect(tray(away)).toHaveText('Needs you (2)');
    await expectAccessible(page);
    await page.reload();
    await expect(needs.getByRole('group')).toHaveCount(2);

    await tray(away).click();
    await expect(away).toHaveURL(/\/app\/#needs-you$/);
    const waiting = away.getByRole('region', { name: /^Needs you/ });
    await expect(waiting).toBeFocused();
    await expect(waiting).toBeInViewport();
    await expect(away.getByRole('region', { name: 'First steps' })).toBeAttached();
    // Follows the same link again from the page that it leads to.
    await away.getByRole('textbox', { name: 'Question for Consultant' }).focus();
    await tray(away).click();
    await expect(waiting).toBeFocused();
    await away
      .getByRole('group', { name: /Developer asks/ })
      .getByRole('button', { name: /Allow once/ })
      .click();
    await expect(needs.getByRole('group')).toHaveText([/Deployer asks/]);
    await expect(page).toHaveTitle(/^\(1\) Home/);
    await expectTakesKeys(needs);
    await needs.getByRole('button', { name: /Deny/ }).focus();
    await page.keyboard.press('3');
    await expect(page.getByText('Nothing needs you.')).toBeVisible();
    await expect(page).toHaveTitle(/^Home/);
    for (const conv of convs)
      await expect
        .poll(async () => (await project.api<{ last_outcome: string }>('GET', `/conversations/${conv}`)).last_outcome)
        .toBe('answered');
  });

  test('a question that a restart ended is over, and the page says so', async ({ page, agent, project }) => {
    agent.plays(STEP['claude-code']('npm ci'));
    await talk(page, project);
    await expect(question(page)).toBeVisible();
    await project.restart();
    await expectLive(page);
    await expect(question(page)).toHaveCount(0);
    await expect(status(page)).toHaveText('failed');
    await expect(log(page).getByText(/daemon_restarted/)).toBeVisible();
    await expect(page).toHaveTitle(/^Put the house in order/);
    await expect(log(page).getByRole('button', { name: 'Retry' })).toBeVisible();
  });
});
