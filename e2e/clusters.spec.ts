import type { Page } from '@playwright/test';
import type { SavedClusterDetail, SavedClusterList } from '../daemon/contract/saved-clusters.js';
import { here, lines, saveCluster, sendMessage, tab, wall, words } from './a-cluster.js';
import { makeCluster, Peer } from './a-peer.js';
import { expect, expectAccessible, expectLive, holdNext, open, test } from './fixtures.js';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const rail = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Clusters/ });
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

test('a cluster is made, and its admin token is settled before one goes on', async ({ page, project }) => {
  await open(page, project, '/rooms');
  await expect(page.getByRole('list', { name: 'Your clusters' }).getByRole('listitem')).toContainText(['The Commons']);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'New cluster' }).first().click();
  const form = page.getByRole('dialog', { name: 'New cluster' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Harbour crew');
  await form.getByRole('textbox', { name: 'Topic' }).fill('#harbour');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create' }).click();

  const once = page.getByRole('dialog', { name: 'Admin token, shown once' });
  const goOn = once.getByRole('button', { name: 'Continue' });
  await expect(once.getByText(/^ak_[\w-]{43}$/)).toBeVisible();
  await expect(once.getByRole('checkbox', { name: /Save it to .mesh\/credentials/ })).toBeChecked();
  // It was saved before it was shown, so that a tab that is lost now loses no cluster.
  const shown = await once.getByText(/^ak_[\w-]{43}$/).innerText();
  const { rooms } = await project.api<SavedClusterList>('GET', '/rooms');
  const made = rooms.find(({ name }) => name === 'Harbour crew')?.cluster_id;
  expect(await project.api<SavedClusterDetail>('GET', `/rooms/${made}`)).toMatchObject({ admin_token: shown });
  await page.keyboard.press('Escape');
  await expect(once.getByRole('alert')).toContainText('This dialog stays open');
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
  await expect(lines(page).first()).toContainText(
    /Joined \d\d:\d\d as operator, visible\. Earlier messages are not saved\./,
  );
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect(await project.api<SavedClusterDetail>('GET', `/rooms/${id}`)).toMatchObject({
    held: true,
    vis: 'public',
    admin_token: admin,
  });

  // The tokens of a response that comes when the dialog is gone are saved too.
  await rail(page).click();
  await page.getByRole('button', { name: 'New cluster' }).first().click();
  await form.getByRole('textbox', { name: 'Name' }).fill('Night watch');
  const creating = holdNext(page, '**/v1/clusters', 'POST');
  await form.getByRole('button', { name: 'Create' }).click();
  const request = await creating;
  await page.goBack();
  await expect(form).toHaveCount(0);
  await request.continue();
  const names = async () => (await project.api<SavedClusterList>('GET', '/rooms')).rooms.map(({ name }) => name);
  await expect.poll(names).toContain('Night watch');
});

test('a cluster is shared by an invite, whose token stands in no address', async ({ page, project }) => {
  const { id, admin } = await saveCluster(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}`);
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
  await sendMessage(page, 'Good **morning**');
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
  const form = page.getByRole('dialog', { name: 'Join a cluster' });
  const paste = form.getByRole('textbox', { name: 'Invite, id or slug' });
  await paste.fill(id);
  await form.getByRole('button', { name: 'Join' }).click();
  await expect(form.getByRole('alert')).toContainText('A private cluster needs the whole invite.');
  await paste.fill(`Come over:\n> id ${id}\n> token ${token}\n`);
  await expect(form).toContainText('with member token: saved in .mesh/credentials');
  await form.getByRole('textbox', { name: 'Your handle' }).fill('harbour-master');
  await form.getByRole('radio', { name: /Invisible/ }).check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Join' }).click();

  await expect(lines(page).first()).toContainText('as harbour-master, invisible to others.');
  await expect(page.getByText('you are invisible to others', { exact: true })).toBeVisible();
  ada.say('Is anybody here?');
  await expect(lines(page).last()).toContainText('Is anybody here?');
  await ada.until((frame) => frame.kind === 'ack' && frame.delivered === 0);
  expect(ada.frames.filter(({ kind }) => kind === 'presence')).toEqual([]);
  expect((await Peer.join(project, id, 'bob', token)).frames[0]).toMatchObject({
    kind: 'ready',
    online: ['ada', 'bob'],
  });

  await tab(page, 'Night watch', 'Share').click();
  await page.getByRole('radio', { name: /Visible/ }).check();
  await page.getByRole('button', { name: 'Save presence' }).click();
  await ada.until(
    (frame) => frame.kind === 'presence' && frame.agent === 'harbour-master' && frame.status === 'online',
  );
  await tab(page, 'Night watch', 'Wall').click();
  await expect(lines(page).filter({ hasText: 'Is anybody here?' })).toBeVisible();
  await expect(lines(page).last()).toContainText('as harbour-master, visible.');
});

test('what is said meanwhile is counted wherever one is, and is read where it is seen', async ({ page, project }) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project);
  const desk = page.getByRole('list', { name: 'Clusters with people online' }).getByRole('listitem');
  await expect(desk).toContainText('1 there');
  await expect(rail(page)).toHaveAccessibleName('Clusters');
  for (const text of ['One', 'Two', 'Three']) ada.say(text);
  ada.say('Four', 'operator');
  await expect(rail(page)).toHaveAccessibleName(/^Clusters 4 unread$/);
  await expect(desk).toContainText('4 unread');
  await rail(page).click();
  await expect(page).toHaveTitle(/^\(4\) Clusters/);
  const row = page
    .getByRole('list', { name: 'Your clusters' })
    .getByRole('listitem')
    .filter({ hasText: 'Harbour crew' });
  await expect(row).toContainText('4 unread, 1 to you');
  await expect(row).toContainText('2 here');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('harbour crew');
  await expect(page.getByRole('option', { selected: true })).toContainText('4 unread');
  await page.keyboard.press('Enter');
  await expect(lines(page).first()).toContainText('Earlier messages are not saved.');
  await expect(rail(page)).toHaveAccessibleName('Clusters');
  await expect(page).toHaveTitle(/^Harbour crew/);

  // The connection and the received messages are kept while another page is open.
  await page.keyboard.press('Escape');
  ada.say('Early words');
  await expect(lines(page).last()).toContainText('Early words');
  await expect.poll(async () => (await project.api<SavedClusterDetail>('GET', `/rooms/${id}`)).unread).toBe(0);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
  // Until the other page is shown, the Wall is still open and marks messages as read.
  await expect(page.getByRole('heading', { level: 1, name: 'Team' })).toBeVisible();
  ada.say('Meanwhile');
  await expect(rail(page)).toHaveAccessibleName(/^Clusters 1 unread$/);
  await page.goBack();
  await expect(lines(page).filter({ hasText: 'Early words' })).toBeVisible();
  await expect(lines(page).last()).toContainText('Meanwhile');
  await expect(rail(page)).toHaveAccessibleName('Clusters');
});

test('a cluster that is deleted closes every tab with words', async ({ page, context, project }) => {
  const { id, token } = await saveCluster(project, 'Harbour crew');
  const ada = await Peer.join(project, id, 'ada', token);
  const other = await context.newPage();
  await open(other, project, `/rooms/${id}`);
  await expect(lines(other)).toHaveCount(1);
  ada.say('The last words');
  await expect(lines(other).last()).toContainText('The last words');
  await open(page, project, `/rooms/${id}?tab=rules`);
  await page.getByRole('button', { name: 'Delete the cluster' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Harbour crew' });
  const remove = dialog.getByRole('button', { name: 'Delete for everybody' });
  await dialog.getByRole('textbox').fill('harbour');
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByRole('textbox').fill('Harbour crew');
  await expectAccessible(page);
  await remove.click();
  await expect(page).toHaveURL(/\/rooms$/);
  await expect(page.getByRole('list', { name: 'Your clusters' })).not.toContainText('Harbour crew');

  await expect(other.getByRole('alert').filter({ hasText: 'This cluster was deleted' })).toContainText(
    'deleted for everybody',
  );
  await expect(lines(other).filter({ hasText: 'The last words' })).toBeVisible();
  await expect(words(other)).toHaveCount(0);
  await expect(tab(other, 'Harbour crew', 'Share')).toHaveCount(0);
  await expectAccessible(other);
  await other.reload();
  await expect(other.getByRole('heading', { level: 1, name: 'There is no such cluster' })).toBeVisible();
  await ada.until(({ kind }) => kind === 'closed');
});

test('the rules are words, boards are turned on, and hashtags of the Wall lead to them', async ({ page, project }) => {
  const { id, token, admin } = await saveCluster(project, 'Harbour crew');
  await open(page, project, `/rooms/${id}?tab=rules`);
  await expect(page.getByText('Only holders of its token. It is not listed.')).toBeVisible();
  await page.getByRole('switch', { name: 'Boards are on' }).click();
  await expect(page.getByRole('switch', { name: 'Boards are on' })).toBeChecked();
  await page.getByRole('button', { name: 'Change the rules' }).click();
  await page.getByRole('textbox', { name: 'Maximum post length' }).fill('400');
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
  await sendMessage(page, `See #sale and #${post}, not #nothing or \`#sale\``);
  const said = lines(page).last();
  await expect(said.getByRole('link', { name: '#sale' })).toHaveCount(1);
  await expect(said.getByRole('link', { name: `#${post}` })).toHaveAttribute('href', `/app/rooms/${id}/p/${post}`);
  await expect(said.getByRole('link', { name: '#nothing' })).toHaveCount(0);
  await words(page).fill('A long story. '.repeat(200));
  await page.getByRole('button', { name: 'Send as board post' }).click();
  await expect(page).toHaveURL(new RegExp(`/rooms/${id}/b/sale`));
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Body' })).toHaveValue(/^A long story\./);
});

test('a cluster is left, and taken back', async ({ page, project }) => {
  const { id, token } = await saveCluster(project, 'Harbour crew', { handle: 'harbour-master' });
  const ada = await Peer.join(project, id, 'ada', token);
  await open(page, project, `/rooms/${id}?tab=share`);
  const held = page.getByRole('switch', { name: 'Stay connected while this tab is closed' });
  await held.click();
  await expect(held).not.toBeChecked();
  await page.getByRole('button', { name: 'Leave the cluster' }).click();
  const ask = page.getByRole('dialog', { name: 'Leave Harbour crew' });
  await expect(ask).toContainText('Its admin token is deleted too.');
  await ask.getByRole('button', { name: 'Leave and delete the tokens' }).click();
  await expect(page).toHaveURL(/\/rooms$/);
  await expect(page.getByRole('list', { name: 'Your clusters' })).not.toContainText('Harbour crew');
  await ada.until(
    (frame) => frame.kind === 'presence' && frame.agent === 'harbour-master' && frame.status === 'offline',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('list', { name: 'Your clusters' })).toContainText('Harbour crew');
  expect(await project.api<SavedClusterDetail>('GET', `/rooms/${id}`)).toMatchObject({
    handle: 'harbour-master',
    held: false,
    token,
  });

  // The daemon does not stay connected, so the page shows the form to join.
  await page.getByRole('link', { name: 'Harbour crew' }).click();
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(lines(page).first()).toContainText('as harbour-master');
  await page.reload();
  await expectLive(page);
  await expect(lines(page).first()).toContainText('as harbour-master');
});

test('the commons is open from the list, by its slug and by the keys', async ({ page, project }) => {
  await open(page, project);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await expect(page.getByRole('heading', { level: 1, name: 'Clusters' })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('no such cluster');
  await expect(page.getByText('The public cluster does not match.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.goto(`${project.address}/app/rooms/the-commons`);
  await expect(page).toHaveURL(/\/rooms\/c_[0-9a-f]{20}$/);
  await expect(page.getByText('You are not visible yet.')).toBeVisible();
  await expectAccessible(page);
  await tab(page, 'The Commons', 'Share').click();
  await expect(page.getByRole('figure').filter({ hasText: 'Its page' })).toContainText(
    `${project.address}/clusters/the-commons`,
  );
  await tab(page, 'The Commons', 'Wall').click();
  await page.getByRole('radio', { name: /Hidden on public pages/ }).check();
  await page.getByRole('button', { name: 'Join' }).click();
  await expect(page.getByText('you, hidden on public pages')).toBeVisible();
  await sendMessage(page, 'Anybody?');
  await expect(lines(page).last()).toContainText('Reached 0. Nobody else is here, and nothing is saved.');
});
