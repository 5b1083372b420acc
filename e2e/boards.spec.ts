import type { Page } from '@playwright/test';
import type { PostList } from '../daemon/contract/boards.js';
import type { ClusterAnswer } from '../daemon/contract/clusters.js';
import { createClusterWithBoards, LISBON, MADRID, PORTO } from './a-board.js';
import { makeCluster } from './a-peer.js';
import { expect, expectAccessible, expectDrawn, holdNext, open, type Project, test } from './fixtures.js';

const posts = (page: Page) => page.getByRole('list', { name: 'Posts of the board' });
const titles = (page: Page) => posts(page).locator('[data-row]').allTextContents();
const form = (page: Page) => page.getByRole('dialog', { name: /^Post on/ });
const pin = (page: Page) => form(page).getByRole('button', { name: 'Post', exact: true });

async function expectPosts(page: Page, ...expected: string[]): Promise<void> {
  await expect.poll(() => titles(page)).toEqual(expected);
}

/** Chooses a place by the beginning of its name. */
async function choosePlace(page: Page, field: string, typed: string, label: string): Promise<void> {
  const box = page.getByRole('combobox', { name: field });
  await box.fill(typed);
  await expect(
    page
      .getByRole('listbox', { name: `${field}: suggestions` })
      .getByRole('option')
      .first(),
  ).toHaveAttribute('aria-selected', 'true');
  await box.press('Enter');
  await expect(box).toHaveValue(label);
}

test('an admin enables boards and makes one', async ({ page, project }) => {
  const made = await makeCluster(project, { name: 'Iberian exchange', visibility: 'private' });
  await project.api('POST', '/rooms', {
    cluster_id: made.cluster_id,
    token: made.token,
    admin_token: made.admin_token,
    handle: 'ada',
  });
  await open(page, project, `/rooms/${made.cluster_id}?tab=boards`);
  await expect(page.getByText('Wall messages are never stored')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Enable boards' }).click();

  await page.getByRole('button', { name: 'New board' }).first().click();
  const board = page.getByRole('dialog', { name: 'New board' });
  await board.getByRole('textbox', { name: 'Name', exact: true }).fill('Flea market');
  await board.getByRole('radio', { name: /^Buying and selling/ }).check();
  await board.getByRole('textbox', { name: 'Charter' }).fill('x'.repeat(401));
  await expect(board.getByText('1 character too many: a charter has at most 400.')).toBeVisible();
  await board.getByRole('button', { name: 'Create board' }).click();
  await expect(board).toBeVisible();
  await board.getByRole('textbox', { name: 'Charter' }).fill('Things that work.');
  await expect(board.getByText('383 characters left')).toBeVisible();
  await expectAccessible(page);
  await board.getByRole('button', { name: 'Create board' }).click();
  const row = page.getByRole('list', { name: 'Boards' }).getByRole('listitem');
  await expect(row).toContainText(/Flea market.*#flea-market.*buying and selling.*Things that work\..*0 posts/);
  await expectAccessible(page);
});

test('a post is written with a place, a time and Markdown', { tag: '@flow' }, async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project, { visibility: 'private' });
  await cluster.board({ slug: 'flea-market', name: 'Flea market' });
  await open(page, project, `/rooms/${cluster.id}?tab=boards`);
  await page.getByRole('list', { name: 'Boards' }).getByRole('link', { name: 'Flea market' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Flea market' })).toBeVisible();
  await page.getByRole('button', { name: 'Post', exact: true }).first().click();
  await form(page).getByRole('textbox', { name: 'Title' }).fill('Brass lamp');
  await form(page)
    .getByRole('textbox', { name: 'Body' })
    .fill('Works with **oil**. ![pic](https://elsewhere.example/pic.png)');
  await form(page).getByRole('button', { name: 'Preview' }).click();
  await expect(form(page).locator('strong', { hasText: 'oil' })).toBeVisible();
  await expect(form(page).getByRole('link', { name: /^image: pic/ })).toBeVisible();
  await expect(form(page).locator('img')).toHaveCount(0);
  await form(page).getByRole('radio', { name: 'a month' }).check();
  await form(page).getByRole('radio', { name: 'A place' }).check();
  await choosePlace(page, 'Name of the place', 'lisb', 'Lisbon, Portugal');
  await expect(form(page).getByText('Shown as Near Lisbon, Portugal.')).toBeVisible();
  const place = form(page).getByRole('combobox', { name: 'Name of the place' });
  await place.fill('mad');
  await expect(form(page).getByRole('option', { name: 'Madrid Spain' })).toBeVisible();
  await expectAccessible(page);
  await place.press('Escape');
  await expect(place).toHaveValue('Lisbon, Portugal');
  await pin(page).click();
  await expect(form(page)).toHaveCount(0);
  await expectPosts(page, 'Brass lamp');
  await expect(posts(page).getByRole('listitem')).toContainText(/ada.*Near Lisbon, Portugal.*30 days left/);
  const { posts: stored } = await project.api<PostList>(
    'GET',
    `/v1/clusters/${cluster.id}/boards/flea-market/posts`,
    undefined,
    {
      'x-cluster-token': cluster.token,
    },
  );
  expect(stored[0]?.props?.where).toEqual({
    label: 'Lisbon, Portugal',
    lat: expect.closeTo(38.72, 1),
    lon: expect.closeTo(-9.14, 1),
  });
  await expect(page.locator('body')).not.toContainText(/38\.7|9\.1\d/);
});

test('somebody else finds a post by distance, on list and map', async ({ page, browser, project }) => {
  const cluster = await createClusterWithBoards(project, { visibility: 'private' });
  await cluster.board({ slug: 'flea-market' });
  await cluster.post('flea-market', 'ada', { title: 'Brass lamp', body: '', props: { where: LISBON } });
  await cluster.post('flea-market', 'ada', { title: 'By mail', body: '' });
  await open(page, project, `/rooms/${cluster.id}/b/flea-market`);
  await expectPosts(page, 'By mail', 'Brass lamp');

  const elsewhere = await browser.newContext();
  const reader = await elsewhere.newPage();
  await open(reader, project, `/rooms/${cluster.id}/b/flea-market`);
  await expectPosts(reader, 'By mail', 'Brass lamp');
  await choosePlace(reader, 'Near', 'porto, p', 'Porto, Portugal');
  await expect(reader).toHaveURL(/near=Porto/);
  await expect(reader.getByText('No post matches these filters.')).toBeVisible();
  await reader.getByRole('textbox', { name: 'Within, in km' }).fill('400');
  await expectPosts(reader, 'Brass lamp');
  await expect(posts(reader)).toContainText('274 km away');
  await expect(reader).toHaveURL(/km=400/);
  await reader.getByRole('link', { name: 'Map', exact: true }).last().click();
  await expect(
    reader.getByRole('list', { name: 'Posts on the map: in view' }).getByRole('link', { name: /^Brass lamp/ }),
  ).toBeVisible();
  await expectAccessible(reader);
  await reader.reload();
  await expectPosts(reader, 'Brass lamp');
  await elsewhere.close();
});

test('what a post does not say is its board’s or its cluster’s, greyed', async ({ page, project }) => {
  const savedCluster = await createClusterWithBoards(project, { props: { where: LISBON, lang: 'pt' } });
  await savedCluster.board({ slug: 'flats', name: 'Flats', props: { lang: 'en' } });
  await savedCluster.post('flats', 'bela', { title: 'Two rooms', body: '' });
  await savedCluster.post('flats', 'bela', { title: 'Un ático', body: '', props: { where: MADRID, lang: 'es' } });
  await savedCluster.post('flats', 'bela', { title: 'Anywhere', body: '', props: { where: 'none' } });
  const { cluster } = await project.api<ClusterAnswer>('GET', `/v1/clusters/${savedCluster.id}`);
  await open(page, project, `/rooms/${cluster.slug}/b/flats?km=9`);
  await expect(page).toHaveURL(new RegExp(`/rooms/${savedCluster.id}/b/flats\\?km=9$`));
  await expect(page.getByRole('list', { name: 'Rules' })).toContainText(
    'Posts are near Lisbon, Portugal unless they state otherwise. (from the cluster)',
  );
  await expectPosts(page, 'Anywhere', 'Un ático', 'Two rooms');
  const fact = (title: string, words: string) =>
    posts(page).getByRole('listitem').filter({ hasText: title }).getByText(words, { exact: true });
  const colour = (of: ReturnType<typeof fact>) => of.evaluate((element) => getComputedStyle(element).color);
  expect(await colour(fact('Two rooms', 'Near Lisbon, Portugal'))).not.toBe(
    await colour(fact('Un ático', 'Near Madrid, Spain')),
  );
  expect(await colour(fact('Two rooms', 'English'))).toBe(await colour(fact('Two rooms', 'Near Lisbon, Portugal')));
  await expect(posts(page).getByRole('listitem').filter({ hasText: 'Anywhere' })).not.toContainText('Near');

  await page.getByRole('combobox', { name: 'Language' }).selectOption('es');
  await expectPosts(page, 'Un ático');
  await page.getByRole('button', { name: 'Clear' }).click();
  await expectPosts(page, 'Anywhere', 'Un ático', 'Two rooms');
  await page.getByRole('button', { name: 'Post', exact: true }).first().click();
  await expect(form(page).getByRole('radio', { name: 'Near Lisbon, Portugal, from the cluster' })).toBeChecked();
  await expect(form(page).getByRole('combobox', { name: 'Language' })).toHaveValue('');
  await expect(form(page).getByRole('combobox', { name: 'Language' }).locator('option').first()).toHaveText(
    'English, from the board',
  );
});

test('a place is picked on the map, by pointer and by keyboard', async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'flats' });
  await open(page, project, `/rooms/${cluster.id}/b/flats?make=post`);
  await form(page).getByRole('radio', { name: 'A place' }).check();
  await form(page).getByRole('button', { name: 'Pick on the map' }).click();
  const picker = form(page).getByRole('region', { name: 'Pick a place on the map' });
  await expect(picker.locator('svg path').nth(1)).toHaveAttribute('d', /^M/);
  await picker.getByRole('button', { name: 'Zoom in' }).focus();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowUp');
  await form(page).getByRole('button', { name: 'Use the middle of the map' }).click();
  const box = form(page).getByRole('combobox', { name: 'Name of the place' });
  await expect(box).toHaveValue(/, /);
  const first = await box.inputValue();
  await expect(form(page).getByText(`${first} is the nearest place`)).toBeVisible();
  await picker
    .locator('svg')
    .first()
    .click({ position: { x: 60, y: 60 } });
  await expect(box).not.toHaveValue(first);
  await expectAccessible(page);
});

test('a post that is too long is told so at its field, by how much', async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'notes', props: { limits: { post_max_chars: 20 } } });
  await open(page, project, `/rooms/${cluster.id}/b/notes?make=post`);
  await form(page).getByRole('textbox', { name: 'Title' }).fill('Ten chars.');
  await form(page).getByRole('textbox', { name: 'Body' }).fill('Fourteen chars');
  await expect(form(page).getByText('24 of 20, 4 too many')).toBeVisible();
  await pin(page).click();
  await expect(form(page).getByRole('textbox', { name: 'Body' })).toHaveAccessibleDescription(
    /24 characters together: 4 over the 20/,
  );
  await form(page).getByRole('textbox', { name: 'Body' }).fill('Nine char');

  // The rule changes before the dashboard learns of it, so the daemon's error must appear at the same field.
  await page.route('**/boards', (route) => route.abort());
  await project.api(
    'PATCH',
    `/v1/clusters/${cluster.id}/boards/notes`,
    { props: { limits: { post_max_chars: 15 } } },
    { 'x-cluster-token': cluster.admin },
  );
  await pin(page).click();
  await expect(form(page).getByRole('textbox', { name: 'Body' })).toHaveAccessibleDescription(
    /19 characters together: 4 over the 15/,
  );
  await page.unroute('**/boards');
  await expectAccessible(page);

  await page.keyboard.press('Escape');
  await expect(form(page)).toHaveCount(0);
  await expect(page).not.toHaveURL(/make=/);
  await page.reload();
  await page.getByRole('button', { name: 'Post', exact: true }).first().click();
  await expect(form(page).getByRole('textbox', { name: 'Body' })).toHaveValue('Nine char');

  // A form that was closed before the response came is empty once the post is there.
  await form(page).getByRole('textbox', { name: 'Body' }).fill('Nine');
  const pinning = holdNext(page, /\/posts\?/, 'POST');
  await pin(page).click();
  const request = await pinning;
  await page.keyboard.press('Escape');
  await expect(form(page)).toHaveCount(0);
  await request.continue();
  await expectPosts(page, 'Ten chars.');
  await page.getByRole('button', { name: 'Post', exact: true }).first().click();
  await expect(form(page).getByRole('textbox', { name: 'Title' })).toHaveValue('');
});

test('a board for adults asks first, and keeps the yes in this tab only', async ({ page, browser, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'wine', name: 'Wine', props: { entry: { age_min: 21 } } });
  const { id } = await cluster.post('wine', 'bela', { title: 'Port tasting', body: 'On Friday.' }, '&adult=1');
  await open(page, project, `/rooms/${cluster.id}/b/wine`);
  await expect(page.getByRole('heading', { name: 'This board is for people aged 21 and older' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Post', exact: true })).toHaveCount(0);
  await expect(page.locator('main')).not.toContainText('Port tasting');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'I am younger' }).click();
  await expect(page).toHaveURL(/tab=boards/);

  await open(page, project, `/rooms/${cluster.id}/p/${id}`);
  await expect(page.getByRole('heading', { name: 'This board is for people aged 21 and older' })).toBeVisible();
  await page.getByRole('button', { name: 'I am 21 or older' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Port tasting' })).toBeVisible();
  await open(page, project, `/rooms/${cluster.id}/b/wine`);
  await expectPosts(page, 'Port tasting');
  await page.getByRole('button', { name: 'Post', exact: true }).first().click();
  await form(page).getByRole('textbox', { name: 'Title' }).fill('Cheese too');
  await pin(page).click();
  await expectPosts(page, 'Cheese too', 'Port tasting');

  const elsewhere = await browser.newContext();
  const other = await elsewhere.newPage();
  await open(other, project, `/rooms/${cluster.id}/b/wine`);
  await expect(other.getByRole('button', { name: 'I am 21 or older' })).toBeVisible();
  await elsewhere.close();
});

test('a deletion can be undone, and is carried out when the page goes', async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'flats' });
  await cluster.post('flats', 'ada', { title: 'Two rooms', body: '' });
  await cluster.post('flats', 'bela', { title: 'One room', body: '' });
  await open(page, project, `/rooms/${cluster.id}/b/flats`);
  await posts(page).getByRole('button', { name: 'Delete One room' }).click();
  await expect(posts(page)).toContainText(/“One room” is deleted in \d+ s\./);
  await posts(page).getByRole('button', { name: 'Undo the deletion of One room' }).click();
  await expectPosts(page, 'One room', 'Two rooms');

  await posts(page).getByRole('button', { name: 'Delete Two rooms' }).click();
  await expect(posts(page)).toContainText('“Two rooms” is deleted in');
  await expectAccessible(page);
  await page.reload();
  await expectPosts(page, 'One room');
  const { posts: left } = await project.api<PostList>('GET', `/v1/clusters/${cluster.id}/boards/flats/posts`);
  expect(left.map(({ title }) => title)).toEqual(['One room']);
});

test('the author deletes without the admin token, and nobody else does', async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project, { keep: false });
  await cluster.board({ slug: 'flats' });
  await cluster.post('flats', 'operator', { title: 'Mine', body: '' });
  await cluster.post('flats', 'bela', { title: 'Hers', body: '' });
  await open(page, project, `/rooms/${cluster.id}/b/flats`);
  await expectPosts(page, 'Hers', 'Mine');
  await expect(posts(page).getByRole('button', { name: 'Delete Hers' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveCount(0);
  await posts(page).getByRole('link', { name: 'Mine' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Mine' })).toBeVisible();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText(/^This post is deleted in \d+ s\.$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo the deletion' })).toBeFocused();
  await page.getByRole('link', { name: 'flats' }).click();
  await expect(posts(page)).toContainText('“Mine” is deleted in');
  // Without an undo, the deletion is sent to the daemon after ten seconds.
  await expect.poll(() => titles(page), { timeout: 30_000 }).toEqual(['Hers']);
});

test('a post says what it is, where its file lies, and how to mention it', async ({ page, context, project }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'flats', name: 'Flats' });
  const { id } = await cluster.post('flats', 'bela', {
    title: 'Two rooms',
    body: 'With a *balcony*.\n\n![plan](https://elsewhere.example/plan.png)',
    ttl: 'forever',
    file: { url: 'https://elsewhere.example/plan.pdf', mime: 'application/pdf' },
    props: { where: PORTO, lang: 'pt' },
  });
  await open(page, project, `/rooms/${cluster.id}/p/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Two rooms' })).toBeVisible();
  await expect(page.locator('em', { hasText: 'balcony' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'File' })).toContainText('application/pdf linked, not fetched');
  await expect(page.getByRole('region', { name: 'File' }).getByRole('link')).toHaveAttribute(
    'href',
    'https://elsewhere.example/plan.pdf',
  );
  const about = page.getByRole('region', { name: 'About this post' });
  await expect(about).toContainText(/bela.*no end.*Near Porto, Portugal.*Portuguese/);
  await expect(page.locator('body')).not.toContainText(/41\.1|8\.6/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Copy link' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${project.address}/app/rooms/${cluster.id}/p/${id}`,
  );
  await page.getByRole('link', { name: 'Mention on the Wall' }).click();
  await expect(page.getByRole('textbox', { name: /^Message to/ })).toHaveValue(`#${id} `);
});

test.describe('when a day has passed', () => {
  test.use({ clockStep: 86_401 });

  test('an expired post vanishes by itself, and its page says so', async ({ page, context, project }) => {
    const cluster = await createClusterWithBoards(project);
    await cluster.board({ slug: 'flats' });
    const { id } = await cluster.post('flats', 'bela', { title: 'For a day', body: '', ttl: '24h' });
    await cluster.post('flats', 'bela', { title: 'For a week', body: '', ttl: '7d' });
    await open(page, project, `/rooms/${cluster.id}/b/flats`);
    await expectPosts(page, 'For a week', 'For a day');
    const tab = await context.newPage();
    await open(tab, project, `/rooms/${cluster.id}/p/${id}`);
    await expect(tab.getByRole('heading', { level: 1, name: 'For a day' })).toBeVisible();

    project.passTime();
    await expectPosts(page, 'For a week');
    await expect(tab.getByRole('heading', { level: 1, name: 'This post has expired' })).toBeVisible();
    await expect(tab.locator('main')).toContainText('“For a day” expired');
    await expectAccessible(tab);
  });
});

test('events are an agenda', async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'events', name: 'What is on', kind: 'events' });
  await cluster.post('events', 'bela', { title: 'Fado 2026-12-05 20:30', body: '' });
  await cluster.post('events', 'bela', { title: 'Walk', body: 'On 2026-12-05 09:00' });
  await cluster.post('events', 'bela', { title: 'Reading', body: 'Ask me' });
  await open(page, project, `/rooms/${cluster.id}/b/events`);
  await page.getByRole('link', { name: 'Agenda' }).click();
  await expect(page).toHaveURL(/show=agenda/);
  const day = page.getByRole('list', { name: 'Saturday, 5 December 2026' });
  await expect(day.locator('[data-row]')).toHaveText(['Walk', 'Fado 2026-12-05 20:30']);
  await expect(page.getByRole('list', { name: 'No day given' })).toContainText('Reading');
  await expectAccessible(page);
});

test('a board is edited and deleted by its admin, and others see it at once', async ({ page, context, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'flats', name: 'Flats', props: { lang: 'pt' } });
  const other = await context.newPage();
  await open(other, project, `/rooms/${cluster.id}/b/flats`);
  await open(page, project, `/rooms/${cluster.id}?tab=boards`);
  await page.getByRole('button', { name: 'Edit Flats' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Flats' });
  await edit.getByRole('textbox', { name: 'Charter' }).fill('Rooms and flats.');
  await edit.getByRole('combobox', { name: 'Language' }).selectOption('');
  await edit.getByRole('textbox', { name: 'Maximum post length' }).fill('500');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toHaveCount(0);
  await expect(other.locator('main')).toContainText('Rooms and flats.');
  await expect(other.getByRole('list', { name: 'Rules' })).toHaveText(
    'A post has at most 500 characters, title and body together.',
  );

  await page.getByRole('button', { name: 'Delete Flats' }).click();
  const sure = page.getByRole('dialog', { name: 'Delete Flats' });
  await expect(sure.getByRole('button', { name: 'Delete board' })).toHaveAttribute('aria-disabled', 'true');
  await sure.getByRole('textbox', { name: 'Type flats to confirm' }).fill('flats');
  await sure.getByRole('button', { name: 'Delete board' }).click();
  await expect(page.getByText('No boards yet.')).toBeVisible();
  await expect(other.getByRole('heading', { level: 1, name: 'There is no such board' })).toBeVisible();
});

test('boards and posts are found from anywhere by their names', async ({ page, project }) => {
  const cluster = await createClusterWithBoards(project, { visibility: 'private' });
  await cluster.board({ slug: 'flea', name: 'Flea market' });
  await cluster.post('flea', 'bob', { title: 'Brass lamp' });
  await open(page, project);
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').fill('flea');
  await palette.getByRole('option', { name: /^Flea market/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Flea market' })).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await palette.getByRole('combobox').fill('brass');
  await palette.getByRole('option', { name: /^Brass lamp/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Brass lamp' })).toBeVisible();
});

test('a name that is typed and entered before the boards are read opens the board, not a search', async ({
  page,
  project,
}) => {
  const cluster = await createClusterWithBoards(project, { visibility: 'private' });
  await cluster.board({ slug: 'flea', name: 'Flea market' });
  let read: () => void = () => undefined;
  const mayRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  await page.route(`**/v1/clusters/${cluster.id}/boards`, async (route) => {
    await mayRead;
    await route.continue();
  });
  await open(page, project);
  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').fill('flea');
  await page.keyboard.press('Enter');
  await expect(palette.getByText('Looking for “flea”.')).toBeVisible();
  read();
  await expect(page.getByRole('heading', { level: 1, name: 'Flea market' })).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 780 } });

  async function longRoom(project: Project) {
    const cluster = await createClusterWithBoards(project, { props: { where: LISBON } });
    await cluster.board({ slug: 'flats', name: 'Flats', about: 'x'.repeat(400) });
    const { id } = await cluster.post('flats', 'ada', {
      title: 'y'.repeat(200),
      body: 'z'.repeat(2000),
      file: { url: `https://elsewhere.example/${'a'.repeat(300)}`, mime: 'image/png' },
    });
    return { room: `/rooms/${cluster.id}`, post: `/p/${id}` };
  }

  async function openWhole(page: Page, project: Project, path: string) {
    await open(page, project, path);
    await expect(page.getByRole('heading', { level: 1, includeHidden: true })).toBeAttached();
    await expectDrawn(page);
  }

  test('no page of boards is wider than the screen', async ({ page, project }) => {
    const { room: cluster, post } = await longRoom(project);
    for (const path of ['?tab=boards', '/b/flats', '/b/flats?show=map', post, '/b/flats?make=post']) {
      await openWhole(page, project, cluster + path);
      for (const width of [320, 360]) {
        await page.setViewportSize({ width, height: 780 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(width);
      }
    }
  });

  test('boards, a map of posts and the form hold to the rules', async ({ page, project }) => {
    const { room: cluster } = await longRoom(project);
    for (const path of ['?tab=boards', '/b/flats?show=map', '/b/flats?make=post']) {
      await openWhole(page, project, cluster + path);
      await expectAccessible(page);
    }
  });
});
