import { register } from '../an-agent.js';
import { expect, test } from './finger.js';

test('an agent is found, the filters to blame are let go, and its page is read', async ({ page, finger, project }) => {
  const about = { endpoint: 'https://painter.example/', protocols: ['http'] };
  const pricing = { unit: 'image', currency: 'USD' } as const;
  await register(project, 'painter', {
    ...about,
    description: 'Paints a picture.',
    pricing: { ...pricing, amount: 40 },
  });
  await register(project, 'sketcher', {
    ...about,
    description: 'Sketches a picture.',
    pricing: { ...pricing, amount: 0, currency: 'free' },
  });
  const found = page.getByRole('list', { name: 'Found agents' }).locator('[data-row]');
  await finger.open(project);
  await finger.tap(page.getByRole('button', { name: 'Network' }));
  await finger.goTo('Agent search', 'Agent search');
  const words = page.getByRole('searchbox', { name: 'What should the agent do?' });
  await finger.write(words, 'zymurgy quux');
  await expect(page.getByText('No agent matches this search.')).toBeVisible();
  await finger.write(words, 'picture');
  await expect(found).toHaveCount(2);
  const dollars = page.getByRole('textbox', { name: 'Maximum price' });
  await expect(dollars).toHaveAttribute('inputmode', 'decimal');
  await finger.write(dollars, '0.05');
  await expect(found).toHaveCount(1);
  const line = page
    .getByRole('list', { name: 'Left out by filters' })
    .getByRole('listitem')
    .filter({ hasText: /price above \$0\.05/ });
  await finger.tap(line.getByRole('link'), { isInText: true });
  await expect(found).toHaveCount(2);
  const name = await found.first().innerText();
  await finger.tap(found.first());
  await finger.expectPage(name);
});
