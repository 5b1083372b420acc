import type { PermissionList } from '../../daemon/contract/conversations.js';
import { expectTakesKeys } from '../fixtures.js';
import { expect, test } from './keys.js';

test('a request is watched from its arrival to its answer, and another is stopped', async ({ page, keys, project }) => {
  const rows = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  const status = page.locator('main').getByRole('status');
  for (let number = 1; number <= 14; number += 1) await project.answer('consultant', `Question ${number}: which port?`);
  await project.holdAnswers();
  await keys.open(project);
  await keys.press('g', 'r');
  await keys.expectPage('Requests');
  await expect(rows).toHaveCount(14);

  for (let row = 0; row < 13; row += 1) await keys.press('j');
  const read = rows.nth(12).getByRole('link');
  await keys.expectAt(read);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(120);
  const question = await read.innerText();
  await project.ask('consultant', 'Which port does it listen on?');
  const pill = page.getByRole('button', { name: '1 new' });
  await expect(pill).toBeInViewport();
  await keys.expectAt(rows.filter({ hasText: question }).getByRole('link'));
  await keys.press('n');
  await expect(pill).toHaveCount(0);
  await keys.expectAt(rows.first());
  await expect(rows.first()).toContainText('Which port does it listen on?');
  await expect(rows.first().getByText('working', { exact: true })).toBeVisible();

  await project.ask('consultant', 'When do the lights go on?');
  await expect(rows.first()).toContainText('When do the lights go on?');
  await keys.press('k', 'Enter');
  await keys.expectPage('Ask to Consultant');
  const stop = page.getByRole('button', { name: 'Stop' });
  await keys.enter(stop);
  await expect(status.getByText('stopped', { exact: true })).toBeVisible();
  await expect(stop).toHaveCount(0);
  await keys.expectAt(page.locator('main'));
  await keys.goBack('Requests');
  project.releaseAnswers();
  const row = rows.filter({ hasText: 'Which port does it listen on?' });
  await expect(row.getByText('answered', { exact: true })).toBeVisible();

  await keys.press('/');
  await keys.type('When do');
  await expect(rows).toHaveCount(1);
  await keys.press('ArrowDown');
  await keys.expectAt(rows.first());
});

test.describe('with an agent', () => {
  test.use({ client: 'claude-code' });

  const asks = (command: string) => ({
    permission: { name: 'Bash', input: { command }, reason: 'The tests must run.' },
  });

  test('one talks to a member, answers its questions by their digits, and stops it', async ({
    page,
    keys,
    agent,
    project,
  }) => {
    const log = page.getByRole('log', { name: 'Transcript' });
    const status = page.locator('main header').getByRole('status');
    const question = page.getByRole('group', { name: /asks:/ });
    const box = page.getByRole('textbox', { name: 'Message to Developer' });
    agent.plays(asks('npm ci'), asks('npm test'), asks('npm run lint'), { text: 'All is done.' });
    await keys.open(project, '/team');
    await keys.press('/');
    await keys.type('developer');
    const row = page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Developer', exact: true });
    await keys.walkTo(row);
    await keys.press('t');
    await expect(page).toHaveURL(/\/app\/talk\/conv-[\w-]{16}$/);
    await keys.expectAt(box);
    await expect(box).toBeEditable();
    await keys.type('Put the house in order');
    await keys.press('Enter');

    await expect(question).toContainText('npm ci');
    const deny = question.getByRole('button', { name: /^3\s*Deny/ });
    await keys.back(deny);
    await expectTakesKeys(question);
    await keys.press('1');
    await expect(question).toContainText('npm test');
    await keys.expectAt(deny);
    await expectTakesKeys(question);
    await keys.press('3');
    await expect(question).toContainText('npm run lint');
    await keys.expectAt(deny);
    await expectTakesKeys(question);
    await keys.press('2');
    await expect(status).toHaveText('answered');
    await expect(log.getByText('All is done.')).toBeVisible();
    await keys.expectAt(box);

    agent.plays({ text: 'I look at it. ' }, agent.gate('never'));
    await keys.type('Take your time');
    await keys.press('Enter');
    await expect(log.getByText('I look at it.')).toBeVisible();
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    await keys.enter(stop, 3);
    await expect(status).toHaveText('stopped');
    await expect(stop).toHaveCount(0);
    await keys.expectAt(box);
    await keys.press('ArrowUp');
    await expect(box).toHaveValue('Take your time');
  });

  test('a question is answered from the Desk, and the focus stays among what waits', async ({
    page,
    keys,
    agent,
    project,
  }) => {
    agent.playsTo('lights', asks('npm run dusk'), { text: 'Dark.' });
    agent.playsTo('harbour', asks('npm run harbour'), { text: 'Calm.' });
    const messages = [
      ['developer', 'Switch the lights off'],
      ['deployer', 'Look at the harbour'],
    ] as const;
    for (const [at, [member, text]] of messages.entries()) {
      const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member });
      await project.api('POST', `/conversations/${conv}/messages`, { text });
      // The questions are listed in the order in which they were asked.
      await expect
        .poll(async () => (await project.api<PermissionList>('GET', '/permissions')).permissions.length)
        .toBe(at + 1);
    }
    await keys.open(project, '/team');
    const needs = page.getByRole('region', { name: /^Needs you/ });
    await keys.enter(page.getByRole('link', { name: 'Needs you (2)' }), 20);
    await keys.expectPage('Home');
    const first = needs.getByRole('group', { name: /Developer asks/ });
    await keys.reach(first.getByRole('button', { name: /Deny/ }));
    await expectTakesKeys(first);
    await keys.press('1');
    await expect(first).toHaveCount(0);
    await keys.expectAt(needs);
    await keys.reach(needs.getByRole('group', { name: /Deployer asks/ }).getByRole('button', { name: /Deny/ }), {
      within: 6,
    });
    await expectTakesKeys(needs);
    await keys.press('3');
    await expect(needs.getByText('Nothing needs you.')).toBeVisible();
    await keys.expectAt(needs);
  });
});
