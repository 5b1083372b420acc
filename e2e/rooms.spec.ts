import type { Page } from '@playwright/test';
import type { RoomDetail } from '../daemon/contract/rooms.js';
import { makeCluster, Peer } from './a-peer.js';
import { expect, expectAccessible, expectLive, open, type Project, test } from './fixtures.js';
import { expectHarmless, HOSTILE, IMAGE, LONG, REVERSED, SCRIPT } from './hostile.js';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const wall = (page: Page) => page.getByRole('log', { name: 'Wall' });
const lines = (page: Page) => wall(page).locator('[data-line]');
const words = (page: Page) => page.getByRole('textbox', { name: /^Message to/ });
const here = (page: Page) => page.getByRole('list', { name: 'Others here' });
const tab = (page: Page, room: string, name: string) => page.getByRole('navigation', { name: room }).getByRole('link', { name });
const rail = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Rooms/ });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

async function say(page: Page, text: string): Promise<void> {
  await words(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Keeps a room as its operator does who has joined it before. */
async function keep(project: Project, name: string, body: Partial<RoomDetail> = {}): Promise<{ id: string; token: string; admin: string }> {
  const made = await makeCluster(project, { name, visibility: 'private' });
  await project.api('POST', '/rooms', { cluster_id: made.cluster_id, token: made.token, admin_token: made.admin_token, ...body });
  return { id: made.cluster_id, token: made.token, admin: made.admin_token };
}

test('a room is made, its admin token is settled before one goes on, and it is shared by an invite', async ({ page, project }) => {
  await open(page, project, '/rooms');
  await expect(page.getByRole('list', { name: 'Your rooms' }).getByRole('listitem')).toContainText(['The Commons']);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New room' }).first().click();
  const form = page.getByRole('dialog', { name: 'New room' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Harbour crew');
  await form.getByRole('textbox', { name: 'Topic' }).fill('#harbour');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create' }).click();

  const once = page.getByRole('dialog', { name: 'Admin token, shown once' });
  const goOn = once.getByRole('button', { name: 'Continue' });
  await expect(once.getByText(/^ak_[\w-]{43}$/)).toBeVisible();
  await expect(once.getByRole('checkbox', { name: /Save it to .mesh\/credentials/ })).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(once.getByRole('alert')).toContainText('This cannot be closed');
  await page.goBack();
  await expect(once.getByText(/^ak_[\w-]{43}$/)).toBeVisible();
  await once.getByRole('checkbox', { name: /Save it/ }).uncheck();
  await expect(goOn).toHaveAttribute('aria-disabled', 'true');
  await once.getByRole('checkbox', { name: /I will lose admin rights/ }).check();
  await expect(goOn).not.toHaveAttribute('aria-disabled');
  await once.getByRole('checkbox', { name: /I will lose admin rights/ }).uncheck();
  await once.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => copied(page)).toMatch(/^ak_[\w-]{43}$/);
  const admin = await copied(page);
  await expectAccessible(page);
  await once.getByRole('checkbox', { name: /Save it/ }).check();
  await goOn.click();

  await expect(page.getByRole('heading', { level: 1, name: 'Harbour crew' })).toBeVisible();
  await expect(words(page)).toBeFocused();
  await expect(page).toHaveTitle(/^Harbour crew/);
  await expect(lines(page).first()).toContainText(/Joined \d\d:\d\d as operator, seen by all\. Nothing before this is kept\./);
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await project.api<RoomDetail>('GET', `/rooms/${id}`)).toMatchObject({ held: true, vis: 'public', admin_token: admin });

  await tab(page, 'Harbour crew', 'Share').click();
  await expect(page).toHaveURL(/tab=share/);
  const invite = page.getByRole('figure').filter({ hasText: 'Invite' });
  await expect(invite).toContainText(`meshd cluster join ${id}`);
  await expect(invite).not.toContainText(/ck_[\w-]{43}/);
  await invite.getByRole('button', { name: 'Copy' }).click();
  await expect.poll(() => copied(page)).toContain(id);
  const text = await copied(page);
  const token = /ck_[\w-]{43}/.exec(text)?.[0] ?? '';
  expect(text).toContain(`MESHD_CLUSTER_TOKEN=${token} meshd cluster join ${id}`);
  expect(text).not.toMatch(/\S+:\/\/\S*ck_/);
  expect(text).not.toContain(admin);
  await expectAccessible(page);

  const ada = await Peer.join(project, id, 'ada', token);
  await tab(page, 'Harbour crew', 'Wall').click();
  await expect(here(page)).toContainText('ada');
  await say(page, 'Good **morning**');
  await ada.hears('Good **morning**');
  await expect(lines(page).last()).toContainText('Reached 1.');
  await expect(lines(page).last().locator('strong').filter({ hasText: 'morning' })).toBeVisible();
  await expectAccessible(page);
  ada.leave();
  await expect(lines(page).last()).toContainText('ada left.');
});

test('an invite is pasted, and whoever comes in as a ghost is not seen', async ({ page, project }) => {
  const { cluster_id: id, token } = await makeCluster(project, { name: 'Night watch', visibility: 'private' });
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project, '/rooms?make=join');
  const form = page.getByRole('dialog', { name: 'Join a room' });
  const paste = form.getByRole('textbox', { name: 'Invite, id or slug' });
  await paste.fill(id);
  await form.getByRole('button', { name: 'Join' }).click();
  await expect(form.getByRole('alert')).toContainText('A private room needs the whole invite.');
  await paste.fill(`Come over:\n> id ${id}\n> token ${token}\n`);
  await expect(form).toContainText('with the token of members: kept in .mesh/credentials');
  await form.getByRole('textbox', { name: 'Your handle' }).fill('harbour-master');
  await form.getByRole('radio', { name: /A ghost/ }).check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Join' }).click();

  await expect(lines(page).first()).toContainText('as harbour-master, a ghost: others do not see you.');
  await expect(page.getByText('you are a ghost: others do not see you', { exact: true })).toBeVisible();
  ada.say('Is anybody here?');
  await expect(lines(page).last()).toContainText('Is anybody here?');
  await ada.until((frame) => frame.kind === 'ack' && frame.delivered === 0);
  expect(ada.frames.filter(({ kind }) => kind === 'presence')).toEqual([]);
  expect((await Peer.join(project, id, 'bob', token)).frames[0]).toMatchObject({ kind: 'ready', online: ['ada', 'bob'] });

  await tab(page, 'Night watch', 'Share').click();
  await page.getByRole('radio', { name: /Seen by all/ }).check();
  await page.getByRole('button', { name: 'Change my seat' }).click();
  await ada.until((frame) => frame.kind === 'presence' && frame.agent === 'harbour-master' && frame.status === 'online');
  await tab(page, 'Night watch', 'Wall').click();
  await expect(lines(page).filter({ hasText: 'Is anybody here?' })).toBeVisible();
  await expect(lines(page).last()).toContainText('as harbour-master, seen by all.');
});

test('a direct message reaches those who are named and nobody else, and says whom it reached', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  const bob = await Peer.join(project, id, 'bob', token);
  await open(page, project, `/rooms/${id}`);
  await here(page).getByRole('button', { name: 'ada' }).click();
  await expect(words(page)).toBeFocused();
  await say(page, 'The spare key is in the blue shed');
  await ada.hears('The spare key is in the blue shed');
  const told = lines(page).last();
  await expect(told).toContainText('to ada only');
  await expect(told).toContainText('Reached 1.');
  await here(page).getByRole('button', { name: 'bob' }).click();
  await say(page, 'Both of you');
  await bob.hears('Both of you');
  await expect(lines(page).last()).toContainText('to ada and bob only');
  await expect(lines(page).last()).toContainText('Reached 2.');
  expect(bob.heard).toEqual(['Both of you']);

  bob.say('Only for you', 'operator');
  await expect(lines(page).last()).toContainText('to you only');
  await ada.settled();
  expect(ada.heard).toEqual(['The spare key is in the blue shed', 'Both of you']);
  await expectAccessible(page);

  await here(page).getByRole('button', { name: 'bob' }).click();
  ada.leave();
  await expect(page.getByText('ada is not here now.')).toBeVisible();
  await say(page, 'Are you there?');
  await expect(lines(page).last()).toContainText('Reached 0. ada is not here and nothing is kept.');
  await page.getByRole('button', { name: 'Write to everybody' }).click();
  await expect(words(page)).toHaveAccessibleName('Message to everybody here');
});

test('what is said meanwhile is counted wherever one is, and is read where it is seen', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project, '/team');
  await expect(rail(page)).toHaveAccessibleName('Rooms');
  for (const text of ['One', 'Two', 'Three']) ada.say(text);
  ada.say('Four', 'operator');
  await expect(rail(page)).toHaveAccessibleName(/^Rooms 4 unread$/);
  await rail(page).click();
  await expect(page).toHaveTitle(/^\(4\) Rooms/);
  const row = page.getByRole('list', { name: 'Your rooms' }).getByRole('listitem').filter({ hasText: 'Harbour crew' });
  await expect(row).toContainText('4 unread, 1 to you');
  await expect(row).toContainText('2 here');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('harbour crew');
  await expect(page.getByRole('option', { selected: true })).toContainText('4 unread');
  await page.keyboard.press('Enter');
  await expect(lines(page).first()).toContainText('Nothing before this is kept.');
  await expect(rail(page)).toHaveAccessibleName('Rooms');
  await expect(page).toHaveTitle(/^Harbour crew/);

  // The seat stays while one looks at something else, and so does what was heard.
  await page.keyboard.press('Escape');
  ada.say('Early words');
  await expect(lines(page).last()).toContainText('Early words');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
  ada.say('Meanwhile');
  await expect(rail(page)).toHaveAccessibleName(/^Rooms 1 unread$/);
  await page.goBack();
  await expect(lines(page).filter({ hasText: 'Early words' })).toBeVisible();
  await expect(lines(page).last()).toContainText('Meanwhile');
  await expect(rail(page)).toHaveAccessibleName('Rooms');
});

test('a room that is deleted closes every tab with words', async ({ page, context, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  const other = await context.newPage();
  await open(other, project, `/rooms/${id}`);
  await expect(lines(other)).toHaveCount(1);
  ada.say('The last words');
  await expect(lines(other).last()).toContainText('The last words');
  await open(page, project, `/rooms/${id}?tab=rules`);
  await page.getByRole('button', { name: 'Delete the room' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Harbour crew' });
  const remove = dialog.getByRole('button', { name: 'Delete for everybody' });
  await dialog.getByRole('textbox').fill('harbour');
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByRole('textbox').fill('Harbour crew');
  await expectAccessible(page);
  await remove.click();
  await expect(page).toHaveURL(/\/rooms$/);
  await expect(page.getByRole('list', { name: 'Your rooms' })).not.toContainText('Harbour crew');

  await expect(other.getByRole('alert').filter({ hasText: 'This room was deleted' })).toContainText('there is no way back');
  await expect(lines(other).filter({ hasText: 'The last words' })).toBeVisible();
  await expect(words(other)).toHaveCount(0);
  await expect(tab(other, 'Harbour crew', 'Share')).toHaveCount(0);
  await expectAccessible(other);
  await other.reload();
  await expect(other.getByRole('heading', { level: 1, name: 'There is no such room' })).toBeVisible();
  await ada.until(({ kind }) => kind === 'closed');
});

test('a stream is one line, data is folded, pictures wait for a click, and what is elsewhere is a link', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project, `/rooms/${id}`);
  await expect(here(page)).toContainText('ada');
  const piece = (seq: number, delta: string, done?: true) => ada.say({ type: 'message', stream: 's', seq, delta, ...(done && { done }) });
  piece(1, 'light ');
  piece(0, 'The ');
  await expect(lines(page).last()).toContainText('The light');
  await expect(lines(page).last()).toContainText('is writing');
  piece(2, 'is **on**', true);
  await expect(lines(page).last()).not.toContainText('is writing');
  await expect(lines(page).last().locator('strong').filter({ hasText: 'on' })).toBeVisible();
  await expect(lines(page).filter({ hasText: 'The light' })).toHaveCount(1);

  ada.say({ type: 'offer', item: 'lamp', price: 3 });
  await lines(page)
    .last()
    .getByText(/^Data, \d+ characters$/)
    .click();
  await expect(lines(page).last().getByText('"item": "lamp"')).toBeVisible();

  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  ada.say({
    text: 'Look',
    media: [
      { mime: 'image/png', b64: png },
      { mime: 'image/png', url: 'http://evil.test/far.png' },
      { mime: 'image/svg+xml', b64: btoa('<svg xmlns="http://www.w3.org/2000/svg" onload="window.struck=1"/>') },
    ],
  });
  const files = page.getByRole('list', { name: 'Files from ada' });
  await expect(files.getByRole('listitem')).toHaveCount(3);
  await expect(page.locator('main img')).toHaveCount(0);
  await files.getByRole('button', { name: 'Show picture' }).click();
  const picture = files.getByRole('img', { name: 'Sent along: image/png, 70 B' });
  await expect(picture).toHaveAttribute('src', /^blob:/);
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  const far = files.getByRole('link', { name: 'http://evil.test/far.png' });
  await expect(far).toHaveAttribute('rel', /noopener/);
  await expect(files.getByRole('button', { name: 'Save file' })).toHaveCount(1);
  await expectAccessible(page);
});

test('hostile words are only text', async ({ page, project }) => {
  page.on('dialog', (dialog) => {
    throw new Error(`A dialog opened: ${dialog.message()}`);
  });
  const made = await makeCluster(project, {
    name: `${IMAGE}${REVERSED}`,
    topic: SCRIPT,
    description: `${HOSTILE} ${LONG}`.slice(0, 1_000),
    visibility: 'public',
  });
  await project.api('POST', '/rooms', { cluster_id: made.cluster_id, admin_token: made.admin_token });
  const peer = await Peer.join(project, made.cluster_id, IMAGE);
  await open(page, project, `/rooms/${made.cluster_id}`);
  await expect(here(page)).toContainText(IMAGE);
  const payloads: unknown[] = [
    HOSTILE,
    LONG,
    { text: `${HOSTILE}\n\n# ${IMAGE}\n\n| a | b |\n|---|---|\n| ${IMAGE} | [x](javascript:window.struck=8) |` },
    { type: SCRIPT, [IMAGE]: HOSTILE },
    {
      text: IMAGE,
      media: [
        { mime: 'text/html', url: 'javascript:window.struck=9' },
        { mime: 'text/html', b64: btoa(SCRIPT) },
      ],
    },
    { media: [{ mime: 'image/png', url: `data:image/svg+xml;base64,${btoa('<svg onload="window.struck=10"/>')}` }] },
    { type: 'message', stream: IMAGE, seq: 0, delta: HOSTILE },
    { type: 'message', stream: SCRIPT, seq: 0, delta: HOSTILE, done: true },
    '> '.repeat(7_000),
    `${'['.repeat(6_000)}${'*'.repeat(6_000)}`,
    'x'.repeat(60_000),
    '\u202E\u0000\u0007 #p_0123456789abcdef #__proto__ #constructor',
    null,
    7,
    [[[[[]]]]],
  ];
  for (const payload of payloads) peer.say(payload);
  peer.say(HOSTILE, 'operator');
  peer.say('The end of it');
  await expect(lines(page).last()).toContainText('The end of it');
  for (const fold of await wall(page).locator('summary').all()) await fold.click();
  const more = wall(page).getByRole('button', { name: /^Show all/ });
  while ((await more.count()) > 0) await more.first().click();
  await expectHarmless(page, 'the Wall');
  await tab(page, `${IMAGE}before�gnp.exe�after`, 'Rules').click();
  await expect(page.getByRole('heading', { name: 'Rules' })).toBeVisible();
  await expectHarmless(page, 'the rules');
  await tab(page, `${IMAGE}before�gnp.exe�after`, 'Share').click();
  await expect(page.getByRole('heading', { name: 'Your seat' })).toBeVisible();
  await expectHarmless(page, 'Share');
  await open(page, project, '/rooms');
  await expect(page.getByText(SCRIPT).first()).toBeAttached();
  await expectHarmless(page, 'the list');
});

test('the line is cut and comes back, with the truth about what was missed', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}`);
  await expect(lines(page)).toHaveCount(1);
  await words(page).fill('Half a sen');
  await project.kill('SIGKILL');
  await expect(page.getByRole('alert').filter({ hasText: 'The line is cut since' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Enter');
  await expect(words(page)).toHaveValue('Half a sen');
  await project.restart();
  await expect(lines(page).last()).toContainText(/The line was cut \d\d:\d\d to \d\d:\d\d\. What was said then is not kept\./);
  const ada = await Peer.join(project, id, 'ada', token);
  await page.keyboard.press('Enter');
  await ada.hears('Half a sen');
  await expect(words(page)).toHaveValue('');
  await page.keyboard.press('ArrowUp');
  await expect(words(page)).toHaveValue('Half a sen');
});

test('thousands of lines are drawn only where one looks, and are followed only from the end', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}`);
  await expect(lines(page)).toHaveCount(1);
  const peers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => Peer.join(project, id, name, token)));
  for (const peer of peers) for (let at = 0; at < 390; at += 1) peer.say(`line ${at}`);
  await Promise.all(peers.map((peer) => peer.settled()));
  for (const peer of peers) peer.say('the last of mine');
  await expect(lines(page).last()).toContainText('the last of mine');
  await expect.poll(() => lines(page).count()).toBeLessThan(400);
  await expect.poll(() => wall(page).evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)).toBeLessThan(2);

  await wall(page).hover();
  await page.mouse.wheel(0, -3_000);
  const pill = page.getByRole('button', { name: /↓$/ });
  await expect(pill).toBeVisible();
  const top = await wall(page).evaluate((log) => log.scrollTop);
  for (const peer of peers) peer.say('one more');
  await expect(pill).toHaveText('4 new ↓');
  expect(Math.abs((await wall(page).evaluate((log) => log.scrollTop)) - top)).toBeLessThan(2);
  await pill.click();
  await expect(lines(page).last()).toContainText('one more');
  await expect(pill).toHaveCount(0);
});

test('what is said is told to screen readers, bursts as a number, until it is muted', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew');
  const [ada, bob] = [await Peer.join(project, id, 'ada', token), await Peer.join(project, id, 'bob', token)];
  await open(page, project, `/rooms/${id}`);
  await expect(here(page)).toContainText('bob');
  const spoken = page.locator('main p[aria-live=polite]');
  ada.say('Good morning');
  await expect(spoken).toHaveText('ada: Good morning');
  ada.say('One');
  bob.say('Two');
  bob.say('Three');
  await expect(spoken).toHaveText('3 new from 2 people in Harbour crew');
  await page.getByRole('checkbox', { name: /Mute announcements/ }).check();
  await expect(spoken).toHaveCount(0);
});

test('the rules are words, boards are turned on, and hashtags of the Wall lead to them', async ({ page, project }) => {
  const { id, token, admin } = await keep(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}?tab=rules`);
  await expect(page.getByText('Only who has its token. It is listed nowhere.')).toBeVisible();
  await page.getByRole('switch', { name: 'Boards are on' }).click();
  await expect(page.getByRole('switch', { name: 'Boards are on' })).toBeChecked();
  await page.getByRole('button', { name: 'Change the rules' }).click();
  await page.getByRole('textbox', { name: 'Characters a post may have' }).fill('400');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save the rules' }).click();
  await expect(page.getByText('At most 400 characters')).toBeVisible();

  const board = { slug: 'sale', name: 'For sale', kind: 'buysell', about: 'Buy and sell.' };
  await project.api('POST', `/v1/clusters/${id}/boards`, board, { 'x-cluster-token': admin });
  const { id: post } = await project.api<{ id: string }>(
    'POST',
    `/v1/clusters/${id}/boards/sale/posts?agent=ada`,
    { title: 'A lamp' },
    { 'x-cluster-token': token },
  );
  await tab(page, 'Harbour crew', 'Wall').click();
  await expect(wall(page).getByRole('link', { name: 'A lamp' })).toHaveAttribute('href', `/app/rooms/${id}/p/${post}`);
  await say(page, `See #sale and #${post}, not #nothing or \`#sale\``);
  const said = lines(page).last();
  await expect(said.getByRole('link', { name: '#sale' })).toHaveCount(1);
  await expect(said.getByRole('link', { name: `#${post}` })).toHaveAttribute('href', `/app/rooms/${id}/p/${post}`);
  await expect(said.getByRole('link', { name: '#nothing' })).toHaveCount(0);
  await words(page).fill('A long story. '.repeat(200));
  await page.getByRole('button', { name: 'Send as board post' }).click();
  await expect(page).toHaveURL(new RegExp(`/rooms/${id}/b/sale`));
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Body' })).toHaveValue(/^A long story\./);
});

test('a room is left, and taken back', async ({ page, project }) => {
  const { id, token } = await keep(project, 'Harbour crew', { handle: 'harbour-master' });
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project, `/rooms/${id}?tab=share`);
  const held = page.getByRole('switch', { name: 'Keep my seat while this tab is closed' });
  await held.click();
  await expect(held).not.toBeChecked();
  await page.getByRole('button', { name: 'Leave the room' }).click();
  const ask = page.getByRole('dialog', { name: 'Leave Harbour crew' });
  await expect(ask).toContainText('Its admin token is forgotten with it.');
  await ask.getByRole('button', { name: 'Leave and forget the tokens' }).click();
  await expect(page).toHaveURL(/\/rooms$/);
  await expect(page.getByRole('list', { name: 'Your rooms' })).not.toContainText('Harbour crew');
  await ada.until((frame) => frame.kind === 'presence' && frame.agent === 'harbour-master' && frame.status === 'offline');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('list', { name: 'Your rooms' })).toContainText('Harbour crew');
  expect(await project.api<RoomDetail>('GET', `/rooms/${id}`)).toMatchObject({ handle: 'harbour-master', held: false, token });

  // No seat is kept: one is asked how to come in.
  await page.getByRole('link', { name: 'Harbour crew' }).click();
  await page.getByRole('button', { name: 'Come in' }).click();
  await expect(lines(page).first()).toContainText('as harbour-master');
  await page.reload();
  await expectLive(page);
  await expect(lines(page).first()).toContainText('as harbour-master');
});

test('the commons is open from the list, by its slug and by the keys', async ({ page, project }) => {
  await open(page, project);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await expect(page.getByRole('heading', { level: 1, name: 'Rooms' })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('no such room');
  await expect(page.getByText('No public room of the 1 that were read has these words.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.goto(`${project.address}/app/rooms/the-commons`);
  await expect(page).toHaveURL(/\/rooms\/c_[0-9a-f]{20}$/);
  await expect(page.getByText('Nobody sees you yet.')).toBeVisible();
  await expectAccessible(page);
  await tab(page, 'The Commons', 'Share').click();
  await expect(page.getByRole('figure').filter({ hasText: 'Its page' })).toContainText(`${project.address}/clusters/the-commons`);
  await tab(page, 'The Commons', 'Wall').click();
  await page.getByRole('radio', { name: /Masked outside/ }).check();
  await page.getByRole('button', { name: 'Come in' }).click();
  await expect(page.getByText('you, masked outside of the room')).toBeVisible();
  await say(page, 'Anybody?');
  await expect(lines(page).last()).toContainText('Reached 0. Nobody else is here and nothing is kept.');
});
