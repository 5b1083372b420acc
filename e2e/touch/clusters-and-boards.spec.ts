import { createClusterWithBoards } from '../a-board.js';
import { here, lines, saveCluster, tab, words } from '../a-cluster.js';
import { Peer } from '../a-peer.js';
import { expect, test } from './finger.js';

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('a cluster is made, shared and sat in', async ({ page, finger, project }) => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await finger.open(project);
    await finger.goTo(/^Clusters/, 'Clusters');
    await finger.tap(page.getByRole('button', { name: 'New cluster' }).first());
    const form = page.getByRole('dialog', { name: 'New cluster' });
    await finger.write(form.getByRole('textbox', { name: 'Name' }), 'Harbour crew');
    await finger.tap(form.getByRole('radio', { name: /^Private/ }));
    await finger.tap(form.getByRole('button', { name: 'Create', exact: true }));

    const once = page.getByRole('dialog', { name: 'Admin token, shown once' });
    const save = once.getByRole('checkbox', { name: /Save it to .mesh\/credentials/ });
    const goOn = once.getByRole('button', { name: /^Continue/ });
    await finger.tap(save);
    await finger.tap(goOn, { isOff: true });
    await expect(once).toBeVisible();
    await finger.tap(once.getByRole('button', { name: 'Copy', exact: true }));
    await expect.poll(copied).toMatch(/^ak_[\w-]{43}$/);
    await finger.tap(save);
    await finger.tap(goOn);
    await finger.expectPage('Harbour crew');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';

    await finger.tap(tab(page, 'Harbour crew', 'Share'));
    await finger.tap(
      page.getByRole('figure').filter({ hasText: 'Invite' }).getByRole('button', { name: 'Copy', exact: true }),
    );
    await expect.poll(copied).toContain(`meshd cluster join ${id}`);
    const ada = await Peer.join(project, id, 'ada', /ck_[\w-]{43}/.exec(await copied())?.[0]);
    await finger.tap(tab(page, 'Harbour crew', 'Wall'));
    await expect(words(page)).toHaveAttribute('enterkeyhint', 'enter');
    await finger.write(words(page), 'Good morning');
    await finger.enter();
    await expect(words(page)).toHaveValue('Good morning\n');
    await finger.tap(page.getByRole('button', { name: 'Send', exact: true }));
    await ada.hears('Good morning');
    await expect(lines(page).last()).toContainText('Reached 1.');

    await finger.tap(page.getByRole('button', { name: /who they are/ }));
    await finger.tap(here(page).getByRole('button', { name: 'ada' }));
    await finger.write(words(page), 'The spare key is in the blue shed');
    await finger.tap(page.getByRole('button', { name: 'Send to ada only' }));
    await ada.hears('The spare key is in the blue shed');
    await expect(lines(page).last()).toContainText('to ada only');
    ada.leave();
    await expect(page.getByText('ada is not here now.')).toBeVisible();
    await finger.write(words(page), 'Are you there?');
    await finger.tap(page.getByRole('button', { name: 'Send to ada only' }));
    await expect(lines(page).last()).toContainText('Reached 0. ada is not here, and nothing is saved.');
    await finger.tap(page.getByRole('button', { name: 'Message everybody' }));
    await expect(words(page)).toHaveAccessibleName('Message to everybody here');
  });
});

test('a board is made, and posts are written on it with a place that is typed and one that is picked', async ({
  page,
  finger,
  project,
}) => {
  const { id } = await saveCluster(project, 'Iberian exchange', { handle: 'ada' });
  const posts = page.getByRole('list', { name: 'Posts of the board' });
  const form = page.getByRole('dialog', { name: /^Post on/ });
  const begin = page.getByRole('button', { name: 'Post', exact: true }).first();
  const post = form.getByRole('button', { name: 'Post', exact: true });
  await finger.open(project, `/rooms/${id}?tab=boards`);
  await finger.tap(page.getByRole('button', { name: 'Enable boards' }));
  await finger.tap(page.getByRole('button', { name: 'New board' }).first());
  const board = page.getByRole('dialog', { name: 'New board' });
  await finger.write(board.getByRole('textbox', { name: 'Name', exact: true }), 'Flea market');
  await finger.tap(board.getByRole('radio', { name: /^Buying and selling/ }));
  const most = board.getByRole('textbox', { name: 'Maximum post length' });
  await expect(most).toHaveAttribute('inputmode', 'numeric');
  await finger.write(most, '40');
  await finger.tap(board.getByRole('button', { name: 'Create board' }));
  await expect(board).toHaveCount(0);
  await finger.tap(page.getByRole('list', { name: 'Boards' }).getByRole('link', { name: 'Flea market' }));
  await finger.expectPage('Flea market');

  await finger.tap(begin);
  await finger.write(form.getByRole('textbox', { name: 'Title' }), 'Brass lamp');
  const body = form.getByRole('textbox', { name: 'Body' });
  await finger.write(body, 'It works with oil, and with nothing else at all.');
  await finger.tap(post);
  await expect(form.getByText('58 of 40, 18 too many')).toBeVisible();
  await finger.write(body, 'Works with oil.');
  await finger.tap(form.getByRole('radio', { name: 'a month' }));
  await finger.tap(form.getByRole('radio', { name: 'A place' }));
  const place = form.getByRole('combobox', { name: 'Name of the place' });
  await finger.write(place, 'lisb');
  await finger.tap(form.getByRole('listbox').getByRole('option').first());
  await expect(place).toHaveValue('Lisbon, Portugal');
  await finger.tap(post);
  await expect(posts.getByRole('listitem')).toContainText(/Brass lamp.*Near Lisbon, Portugal.*30 days left/);

  await finger.tap(begin);
  await finger.write(form.getByRole('textbox', { name: 'Title' }), 'Two chairs');
  await finger.tap(form.getByRole('radio', { name: 'A place' }));
  await finger.tap(form.getByRole('button', { name: 'Pick on the map' }));
  await finger.tap(form.getByRole('button', { name: 'Zoom in' }));
  await finger.tap(form.getByRole('button', { name: 'North' }));
  await finger.tap(form.getByRole('button', { name: 'Use the middle of the map' }));
  await expect(place).toHaveValue(/, /);
  await finger.tap(post);
  await expect(posts.getByRole('listitem')).toHaveCount(2);
  await finger.tap(posts.getByRole('button', { name: 'Delete Two chairs' }));
  await finger.tap(posts.getByRole('button', { name: 'Undo the deletion of Two chairs' }));
  await finger.tap(page.locator('main header').getByRole('link', { name: 'Iberian exchange' }));
  await finger.expectPage('Iberian exchange');
});

test('a board for adults is entered by one’s word', async ({ page, finger, project }) => {
  const cluster = await createClusterWithBoards(project);
  await cluster.board({ slug: 'wine', name: 'Wine', props: { entry: { age_min: 21 } } });
  await cluster.post('wine', 'bela', { title: 'Port tasting', body: '' }, '&adult=1');
  await finger.open(project, `/rooms/${cluster.id}/b/wine`);
  await finger.tap(page.getByRole('button', { name: 'I am 21 or older' }));
  await expect(page.getByRole('list', { name: 'Posts of the board' })).toContainText('Port tasting');
});
