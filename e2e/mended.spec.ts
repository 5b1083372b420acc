import type { Page } from '@playwright/test';
import type { ClusterCreated } from '../daemon/contract/clusters.js';
import type { ConversationList } from '../daemon/contract/conversations.js';
import { arrived, fill } from './every-page.js';
import {
  escComposition,
  expect,
  expectAccessible,
  expectLive,
  expectTakesKeys,
  open,
  type Project,
  test,
} from './fixtures.js';

const talks = async (project: Project) => (await project.api<ConversationList>('GET', '/conversations')).count;
const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

test('a new member’s form shows no problem while its page opens; a talk that is only opened leaves nothing', async ({
  page,
  project,
}) => {
  await open(page, project, '/team?make=form');
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      for (const field of document.querySelectorAll('[aria-invalid=true]')) seen.push(field.outerHTML);
    }).observe(document.body, { childList: true, subtree: true, attributes: true });
  });
  // The member's page comes late, so that what the form shows meanwhile is drawn.
  await page.route('**/member-page-*.js', async (route) => {
    await page.waitForFunction(() => !document.querySelector('dialog')?.getAnimations().length);
    await route.continue();
  });
  await page.getByLabel('Name').fill('Lamp keeper');
  await page.getByRole('button', { name: 'Create member' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Lamp keeper/ })).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([]);
  await page.goto(`${project.address}/app/team?make=form`);
  await expect(page.getByLabel('Name')).toHaveValue('');
  await page.keyboard.press('Escape');

  const member = page.locator('[data-member=developer]');
  await member.focus();
  await page.keyboard.press('t');
  const message = page.getByRole('textbox', { name: 'Message to Developer' });
  await expect(message).toBeFocused();
  expect(await talks(project)).toBe(1);
  await link(page, 'Team').click();
  await expect.poll(() => talks(project)).toBe(0);
  // A reload shows one like it, and a tab that is closed leaves none, whichever way the talk was opened.
  for (const opened of ['by mouse', 'by keyboard']) {
    const tab = await page.context().newPage();
    await open(tab, project, opened === 'by mouse' ? '/team/developer' : '/team');
    if (opened === 'by mouse') await tab.getByRole('button', { name: 'Talk', exact: true }).click();
    else await tab.locator('[data-member=developer]').press('t');
    const field = tab.getByRole('textbox', { name: 'Message to Developer' });
    await expect(field).toBeFocused();
    if (opened === 'by mouse') {
      await tab.reload();
      await expect(field).toBeVisible();
      await expect.poll(() => talks(project)).toBe(1);
    }
    await tab.close({ runBeforeUnload: true });
    await expect.poll(() => talks(project)).toBe(0);
  }
  // What was typed is no empty talk.
  await member.focus();
  await page.keyboard.press('t');
  await message.fill('Is the port');
  await link(page, 'Team').click();
  await expect(member).toBeVisible();
  await link(page, 'Conversations').click();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1);
  expect(await talks(project)).toBe(1);

  // The choice of an agent instead of a member.
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(page.getByLabel('With').getByRole('option', { name: /audit/ })).toHaveText('No member: an audit agent');
});

test.describe('with an agent that asks', () => {
  test.use({ client: 'claude-code' });

  test('digits answer the newest question wherever nothing is typed', async ({ page, agent, project }) => {
    const ask = (command: string) => ({ permission: { name: 'Bash', input: { command }, reason: 'It must run.' } });
    agent.plays(ask('npm ci'), ask('npm test'), ask('npm run build'), { text: 'All is done.' });
    await open(page, project, '/team/developer');
    await page.getByRole('button', { name: 'Talk', exact: true }).click();
    const box = page.getByRole('textbox', { name: 'Message to Developer' });
    await box.fill('Put the house in order');
    // What is pressed as the question appears was meant for something else.
    await page.evaluate(() =>
      new MutationObserver((_, drawn) => {
        const deny = document.querySelector<HTMLElement>('[data-deny]');
        if (!deny) return;
        drawn.disconnect();
        deny.dispatchEvent(new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true }));
        deny.click();
      }).observe(document.body, { childList: true, subtree: true }),
    );
    await box.press('Enter');
    const question = page.getByRole('group', { name: /asks:/ });
    await expectTakesKeys(question);
    await expect(question).toContainText('npm ci');
    // It took the focus from the field, which is empty since the message was sent.
    await expect(question.getByRole('button', { name: /Deny/ })).toBeFocused();
    // Text that is being typed keeps its digits.
    await box.fill('Wait ');
    await box.press('1');
    await expect(box).toHaveValue('Wait 1');
    await expect(question).toContainText('npm ci');
    await box.fill('Then rest');
    await box.press('Enter');
    await expect(question.getByRole('button', { name: /Deny/ })).toBeFocused();
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('1');
    await expect(question).toContainText('npm test');
    await expectTakesKeys(question);
    await page.keyboard.press('g').then(() => page.keyboard.press('d'));
    await expect(question).toContainText('npm test');
    await expectTakesKeys(question);
    await page.getByRole('heading', { level: 1, name: 'Home' }).focus();
    await page.keyboard.press('3');
    await expect(question).toContainText('npm run build');
    await project.api('PATCH', '/preferences', { single_key_shortcuts: false });
    await page.reload();
    await expectLive(page);
    await expect(question).toContainText('npm run build');
    await expectTakesKeys(question);
    await page.getByRole('heading', { level: 1, name: 'Home' }).focus();
    await page.keyboard.press('1');
    await question.getByRole('button', { name: /Deny/ }).focus();
    await page.keyboard.press('3');
    await expect(page.getByText('Nothing needs you.')).toBeVisible();
    const { conversations } = await project.api<ConversationList>('GET', '/conversations');
    expect(conversations).toHaveLength(1);
  });
});

test('addresses say what they do not know, no page fails in the console, and a daemon that is gone is told', async ({
  page,
  project,
}) => {
  const failed: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') failed.push(`${page.url()}: ${message.text()} ${message.location().url}`);
  });
  const made = await project.api<ClusterCreated>('POST', '/v1/clusters', { name: 'Town', visibility: 'public' });
  const path = `/v1/clusters/${made.cluster_id}`;
  const token = { 'x-cluster-token': made.admin_token as string };
  await project.api('PATCH', path, { boards_enabled: true }, token);
  const board = await project.api<{ id: string }>('POST', `${path}/boards`, { slug: 'lost', name: 'Lost' }, token);
  await project.api('POST', `${path}/boards/${board.id}/posts?agent=ada`, { title: 'A glove' });

  await page.goto(`${project.address}/monitor`);
  await page.getByRole('link', { name: 'Town' }).click();
  await page.getByRole('link', { name: 'About this cluster' }).click();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'A glove' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'A glove' })).toBeVisible();
  for (const tab of ['', '?tab=boards', '/b/lost']) {
    await open(page, project, `/rooms/${made.cluster_id}${tab}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
  await page.goto(`${project.address}/docs`);

  // An agent that is a member has the member's flag.
  await project.meshd('team', 'expose', 'developer');
  const cloth = (of: Page) => of.locator('main h1 svg svg').first().innerHTML();
  await open(page, project, '/team/developer');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const flag = await cloth(page);
  await open(page, project, '/find');
  await page
    .getByRole('main')
    .getByRole('link', { name: /-developer$/ })
    .first()
    .click();
  await expect(page.getByText('member of this project', { exact: true })).toBeVisible();
  expect(await cloth(page)).toBe(flag);
  expect(failed.filter((one) => !/\/agents\//.test(one))).toEqual([]);

  await project.answer('developer', 'Which port does it listen on?');
  await open(page, project, '/requests?state=working');
  await expect(page.getByLabel('State')).toHaveValue('running');
  await expect(page.getByText('No request matches these filters.')).toBeVisible();
  await open(page, project, '/requests?state=foo');
  const told = page.getByRole('alert').filter({ hasText: 'state=foo filters nothing' });
  await expect(told).toContainText('answered');
  await expectAccessible(page);
  await told.getByRole('button', { name: 'Leave it out' }).click();
  await expect(told).toHaveCount(0);
  expect(page.url()).not.toContain('foo');

  await link(page, 'Conversations').click();
  await page.getByRole('button', { name: 'New conversation' }).first().press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New conversation' });
  await expect(dialog.getByLabel('With')).toBeVisible();
  await project.kill('SIGKILL');
  const notice = dialog.locator('[aria-live]').filter({ hasText: 'does not answer' });
  await expect(notice).toBeVisible();
  await expect(notice).toContainText(`up --root ${project.root}`);
  await expectAccessible(page, { within: 'dialog' });
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await link(page, 'System').click();
  const gone = page.getByRole('status').filter({ hasText: 'does not answer' });
  await expect(gone).toContainText(`up --root ${project.root}`);
  await expectAccessible(page, { within: 'div[role=status]' });
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(gone).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await project.start();
  await expectLive(page);
  await expect(gone).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test('a file picker that is dismissed closes no form', async ({ page, project }) => {
  await open(page, project, '/network?make=join');
  const form = page.getByRole('dialog', { name: 'Join a network' });
  const servers = form.getByRole('textbox', { name: 'Servers' });
  await servers.fill('tls://nats.example.com:4222');
  await form
    .locator('input[type=file]')
    .evaluate((input) => input.dispatchEvent(new Event('cancel', { bubbles: true })));
  await expect(servers).toHaveValue('tls://nats.example.com:4222');
  await page.keyboard.press('Escape');
  await expect(form).toHaveCount(0);
});

test('Esc that discards a composition closes and leaves nothing', async ({ page, project }) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member: 'consultant' });
  await open(page, project, `/talk/${conv}?file=README.md&from=1&to=1`);
  const file = page.getByRole('dialog', { name: /README\.md/ });
  await file.getByRole('button', { name: 'Search', exact: true }).click();
  const words = file.getByRole('searchbox');
  await words.fill('meshd');
  await escComposition(words);
  await expect(words).toBeFocused();

  await open(page, project, `/talk/${conv}`);
  const message = page.getByRole('textbox', { name: /^Message to/ });
  await message.focus();
  await escComposition(message);
  await expect(message).toBeFocused();
  await page.getByRole('button', { name: 'Rename' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('灯台');
  await escComposition(title);
  await expect(title).toHaveValue('灯台');
  await title.press('Escape');
  await expect(title).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.getByRole('button', { name: 'About', exact: true }).click();
  await escComposition(page.locator('body'));
  await expect(page).toHaveURL(/about=shown/);

  await open(page, project, '/team');
  const filter = page.locator('[data-filter]');
  await filter.focus();
  await escComposition(filter);
  await expect(filter).toBeFocused();
});

test('pages work where the browser denies storage', async ({ page, project }) => {
  const { room, conv } = await fill(project);
  await page.context().addInitScript(() => {
    const get = () => {
      throw new DOMException('', 'SecurityError');
    };
    for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, { get });
  });
  for (const [place, name] of [
    ['/', 'Home'],
    [`/talk/${conv}`, 'The lamp'],
    [`/talk/${conv}/changes`, 'Changes'],
    [`/rooms/${room}/b/sale`, 'For sale'],
  ] as const) {
    await open(page, project, place);
    await arrived(page, name);
  }
  const before = await talks(project);
  await open(page, project, '/team');
  await page.locator('[data-member=developer]').press('t');
  await expect(page.getByRole('textbox', { name: 'Message to Developer' })).toBeFocused();
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => talks(project)).toBe(before);
});
