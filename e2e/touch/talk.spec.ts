import { expect, test } from './finger.js';

test.describe('with an agent', () => {
  test.use({ client: 'claude-code' });

  const asks = (command: string) => ({
    permission: { name: 'Bash', input: { command }, reason: 'The tests must run.' },
  });

  test('one talks to a member, answers its questions, and stops it', async ({ page, finger, agent, project }) => {
    const log = page.getByRole('log', { name: 'Transcript' });
    const status = page.locator('main header').getByRole('status');
    const question = page.getByRole('group', { name: /asks:/ });
    const box = page.getByRole('textbox', { name: 'Message to Developer' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    agent.plays(asks('npm ci'), asks('npm test'), asks('npm run lint'), { text: 'All is done.' });
    await finger.open(project, '/team/developer');
    await finger.tap(page.getByRole('button', { name: 'Talk', exact: true }));
    await expect(page.getByText('No messages yet.')).toBeVisible();
    await expect(box).toBeEditable();
    await expect(box).toHaveAttribute('enterkeyhint', 'enter');
    await finger.write(box, 'Put the house');
    await finger.enter();
    await page.keyboard.type('in order');
    await expect(box).toHaveValue('Put the house\nin order');
    await expect(page.getByText('No messages yet.')).toBeVisible();
    await finger.tap(send);

    await expect(question).toContainText('npm ci');
    await expect(page).toHaveTitle(/^\(1\)/);
    await finger.tap(question.getByRole('button', { name: /Allow once/ }));
    await expect(question).toContainText('npm test');
    await finger.tap(question.getByRole('button', { name: /Deny/ }));
    await expect(question).toContainText('npm run lint');
    await finger.tap(question.getByRole('button', { name: /Always in this conversation/ }));
    await expect(status).toHaveText('answered');
    await expect(log.getByText('All is done.')).toBeVisible();

    agent.plays({ text: 'I look at it. ' }, agent.gate('never'));
    await finger.write(box, 'Take your time');
    await finger.tap(send);
    await expect(log.getByText('I look at it.')).toBeVisible();
    await finger.goTo('Home', 'Home');
    // What runs comes before the first steps.
    const working = page.getByRole('region', { name: /^Working now/ });
    await expect(working.locator('xpath=following::section[@aria-label="First steps"]')).toBeVisible();
    await finger.tap(working.getByRole('link'));
    await expect(log.getByText('I look at it.')).toBeVisible();
    await finger.tap(page.getByRole('button', { name: 'Stop', exact: true }));
    await expect(status).toHaveText('stopped');
  });
});
