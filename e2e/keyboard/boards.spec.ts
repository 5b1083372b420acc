import { saveCluster } from '../a-cluster.js';
import { expect, test } from './keys.js';

test('a board is made, and posts are written on it with a place that is typed and one that is picked', async ({
  page,
  keys,
  project,
}) => {
  const { id } = await saveCluster(project, 'Iberian exchange', { handle: 'ada' });
  const posts = page.getByRole('list', { name: 'Posts of the board' });
  const form = page.getByRole('dialog', { name: /^Post on/ });
  await keys.open(project, `/rooms/${id}?tab=boards`);
  await keys.enter(page.getByRole('link', { name: 'Skip to the content' }), 1);
  await keys.enter(page.getByRole('button', { name: 'Enable boards' }));
  const make = page.getByRole('button', { name: 'New board' }).first();
  await expect(make).toBeVisible();
  await keys.expectAt(page.locator('main'));
  await keys.enter(make);
  const board = page.getByRole('dialog', { name: 'New board' });
  await keys.expectAt(board.getByRole('textbox', { name: 'Name', exact: true }));
  await keys.type('Flea market');
  await keys.choose(
    board.getByRole('radio', { name: /^Buying and selling/ }),
    board.getByRole('group', { name: 'Kind' }),
  );
  await keys.write(board.getByRole('textbox', { name: 'Charter' }), 'Things that work.');
  await keys.write(board.getByRole('textbox', { name: 'Maximum post length' }), '40');
  await keys.enter(board.getByRole('button', { name: 'Create board' }));
  await expect(board).toHaveCount(0);
  await keys.expectAt(page.locator('main'));
  await keys.enter(page.getByRole('list', { name: 'Boards' }).getByRole('link', { name: 'Flea market' }));
  await keys.expectPage('Flea market');

  await keys.enter(page.getByRole('button', { name: 'Post', exact: true }).first());
  const title = form.getByRole('textbox', { name: 'Title' });
  await keys.expectAt(title);
  await keys.type('Brass lamp');
  const body = form.getByRole('textbox', { name: 'Body' });
  await keys.write(body, 'It works with oil, and with nothing else at all.');
  await keys.press('Control+Enter');
  await expect(form.getByText('58 of 40, 18 too many')).toBeVisible();
  await keys.expectAt(body);
  await expect(body).toHaveAccessibleDescription(/18 over the 40/);
  await keys.write(body, 'Works with oil.', 0);
  await keys.choose(form.getByRole('radio', { name: 'a month' }), form.getByRole('group', { name: 'Expires after' }));
  await keys.choose(form.getByRole('radio', { name: 'A place' }), form.getByRole('group', { name: 'Where' }));
  const place = form.getByRole('combobox', { name: 'Name of the place' });
  await keys.reach(place);
  await keys.type('lisb');
  await expect(form.getByRole('listbox').getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  await keys.press('Enter');
  await expect(place).toHaveValue('Lisbon, Portugal');
  await expect(form.getByText('Shown as Near Lisbon, Portugal.')).toBeVisible();
  await keys.enter(form.getByRole('button', { name: 'Post', exact: true }));
  await expect(form).toHaveCount(0);
  await expect(posts.getByRole('listitem')).toContainText(/Brass lamp.*Near Lisbon, Portugal.*30 days left/);
  await keys.expectAt(page.getByRole('button', { name: 'Post', exact: true }).first());

  await keys.press('Enter');
  await keys.expectAt(title);
  await keys.type('Two chairs');
  await keys.choose(form.getByRole('radio', { name: 'A place' }), form.getByRole('group', { name: 'Where' }));
  await keys.enter(form.getByRole('button', { name: 'Pick on the map' }));
  await keys.reach(form.getByRole('button', { name: 'Zoom in' }));
  await keys.press('Enter', '+', 'ArrowUp');
  await keys.enter(form.getByRole('button', { name: 'Use the middle of the map' }));
  await expect(place).toHaveValue(/, /);
  await keys.expectSeen();
  await keys.enter(form.getByRole('button', { name: 'Post', exact: true }));
  await expect(form).toHaveCount(0);
  await expect(posts.getByRole('listitem')).toHaveCount(2);

  await keys.press('j');
  await keys.expectAt(posts.getByRole('link', { name: 'Two chairs' }));
  await keys.enter(posts.getByRole('button', { name: 'Delete Two chairs' }), 3);
  await keys.expectAt(posts.getByRole('button', { name: 'Undo the deletion of Two chairs' }));
  await keys.press('Enter');
  await keys.expectAt(posts.getByRole('listitem').filter({ hasText: 'Two chairs' }));
});

test('a board for adults is entered by one’s word', async ({ page, keys, project }) => {
  const { id, token, admin } = await saveCluster(project, 'Iberian exchange', { handle: 'ada' });
  const asAdmin = { 'x-cluster-token': admin };
  await project.api('PATCH', `/v1/clusters/${id}`, { boards_enabled: true }, asAdmin);
  const wine = { slug: 'wine', name: 'Wine', kind: 'generic', about: '', props: { entry: { age_min: 21 } } };
  await project.api('POST', `/v1/clusters/${id}/boards`, wine, asAdmin);
  await project.api(
    'POST',
    `/v1/clusters/${id}/boards/wine/posts?agent=bela&adult=1`,
    { title: 'Port tasting' },
    { 'x-cluster-token': token },
  );
  await keys.open(project);
  await keys.goTo('Wine', 'Wine');
  await keys.enter(page.getByRole('button', { name: 'I am 21 or older' }));
  await expect(page.getByRole('list', { name: 'Posts of the board' })).toContainText('Port tasting');
  await keys.expectAt(page.locator('main'));
});
