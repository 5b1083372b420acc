import { createClusterWithBoards, LISBON, PORTO } from '../a-board.js';
import { register } from '../an-agent.js';
import { expect, test } from './keys.js';

const OSLO = { lat: 59.91, lon: 10.75, label: 'Oslo, Norway' };

test('the map is moved and filtered, and leads to a post', async ({ page, keys, project }) => {
  const cluster = await createClusterWithBoards(project, { props: { where: LISBON } });
  await cluster.board({ slug: 'flea' });
  await cluster.post('flea', 'bela', { title: 'Crate', body: '', props: { where: PORTO } });
  await cluster.post('flea', 'bela', { title: 'Crates', body: '', props: { where: PORTO } });
  await cluster.post('flea', 'bela', { title: 'Skis', body: '', props: { where: OSLO } });
  const map = page.getByRole('region', { name: 'Map of the world' });
  const dots = map.getByRole('list', { name: 'Map of the world: in view' }).getByRole('link');
  const places = page.getByRole('list', { name: 'Places' }).locator('[data-row]');
  await keys.open(project);
  await keys.press('g', 'p');
  await keys.expectPage('Map');
  await expect(dots.filter({ hasText: 'Skis' })).toHaveCount(1);

  const closer = map.getByRole('button', { name: 'Zoom in' });
  await keys.enter(closer);
  await keys.press('+');
  await expect(page).toHaveURL(/at=4_/);
  await keys.press('ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp');
  await expect.poll(() => places.allTextContents()).toContain('Skis');
  await keys.expectAt(closer);
  await keys.reach(map.getByRole('button', { name: 'South' }));
  for (let step = 0; step < 12; step += 1) await keys.press('Enter');
  await expect(page.getByText('No places in this area.')).toBeVisible();
  await keys.enter(page.getByRole('button', { name: /^Show \d+ outside this area$/ }));
  await expect(page).not.toHaveURL(/at=/);
  await keys.expectAt(page.locator('main'));

  await keys.press('/');
  await keys.type('skis');
  await expect.poll(() => places.allTextContents()).toEqual(['Skis']);
  await keys.press('ControlOrMeta+a');
  await keys.type('zzz');
  await expect(page.getByText('No place matches these filters.')).toBeVisible();
  await keys.enter(page.getByRole('button', { name: 'Clear the filters' }), 16);
  await expect(places).toHaveCount(4);
  await keys.expectAt(page.locator('main'));
  await keys.press('j');
  await keys.expectAt(places.first());
  await keys.back(dots.filter({ hasText: 'Skis' }), 16);
  await keys.press('Enter');
  await keys.expectPage('Skis');
});

test('an agent is found, the filters to blame are let go, and its page is read', async ({ page, keys, project }) => {
  const about = { endpoint: 'https://painter.example/', protocols: ['http'] };
  await register(project, 'painter', {
    ...about,
    description: 'Paints a picture.',
    pricing: { unit: 'image', amount: 40, currency: 'USD' },
  });
  await register(project, 'sketcher', {
    ...about,
    description: 'Sketches a picture.',
    pricing: { unit: 'image', amount: 0, currency: 'free' },
  });
  const found = page.getByRole('list', { name: 'Found agents' }).locator('[data-row]');
  await keys.open(project);
  await keys.press('g', 'f');
  await keys.expectPage('Agent search');
  await keys.press('/');
  await keys.expectAt(page.getByRole('searchbox', { name: 'What should the agent do?' }));
  await keys.type('picture');
  await expect(found).toHaveCount(2);
  await keys.write(page.getByRole('textbox', { name: 'Maximum price' }), '0.05');
  await expect(found).toHaveCount(1);
  const line = page
    .getByRole('list', { name: 'Left out by filters' })
    .getByRole('listitem')
    .filter({ hasText: /price above \$0\.05/ });
  await keys.enter(line.getByRole('link'), 16);
  await expect(found).toHaveCount(2);
  await keys.expectAt(page.locator('main'));

  await keys.press('/');
  await keys.press('ControlOrMeta+a');
  await keys.type('zymurgy quux');
  await expect(page.getByText('No agent matches this search.')).toBeVisible();
  await keys.press('ControlOrMeta+a');
  await keys.type('picture');
  await expect(found).toHaveCount(2);
  await keys.press('Escape', 'j');
  await keys.expectAt(found.first());
  const name = await found.first().innerText();
  await keys.press('Enter');
  await keys.expectPage(name);
  await keys.goBack('Agent search');
  await expect(found).toHaveCount(2);
});
