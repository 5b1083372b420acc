import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Conversation } from '../../daemon/contract/conversations.js';
import type { Review } from '../../daemon/contract/work/reviews.js';
import { beginChange } from '../a-change.js';
import { expect, test } from '../fixtures.js';
import { CORPUS, REVERSED } from './corpus.js';
import { PlantedFields } from './planting.js';

const planting = new PlantedFields('editor');
const TURNING = CORPUS.indexOf(REVERSED);
/** A file name that turns the direction of what follows it. */
const nameOf = (field: 'changed.path' | 'changed.old_path' | 'changed.left_out') =>
  planting.words(field, TURNING).replace(/[/\\\0\n]/g, '?');
const [OLD, NEW, SECRET] = [nameOf('changed.old_path'), nameOf('changed.path'), `${nameOf('changed.left_out')}.pem`];
const KEPT = Array.from({ length: 800 }, (_, line) => `export const value${line} = ${line};\n`).join('');
const LINES = planting.words('changed.line').replaceAll('\0', '');

test.use({ client: 'claude-code', files: { [OLD]: KEPT } });

test('what an agent changes and a member remarks is only text', async ({ page, agent, project }) => {
  test.slow();
  const { conv } = await project.api<Conversation>('POST', '/conversations', {
    ...{ member: 'developer', title: 'Turn the lamp', isolation: 'project' },
  });
  const { end } = await beginChange(project, agent, conv, (folder) => {
    renameSync(join(folder, OLD), join(folder, NEW));
    writeFileSync(join(folder, NEW), `${KEPT}${LINES}\n`);
    writeFileSync(join(folder, SECRET), 'key');
  });
  await end();
  const comments = [0, 20, TURNING].map((turn, at) => ({
    ...{ path: NEW, ...(at > 0 && { line: KEPT.split('\n').length }), text: planting.words('review.text', turn) },
  }));
  agent.playsTo('Review these changes', { text: `\`\`\`json\n${JSON.stringify(comments)}\n\`\`\`\n` });
  await project.api('POST', `/conversations/${conv}/review/ask`, { member: 'commit-pr-reviewer' });
  await expect
    .poll(async () => (await project.api<Review>('GET', `/conversations/${conv}/review`)).drafts)
    .toBe(comments.length);

  const ofPage = ['changed.path', 'changed.old_path', 'review.text'] as const;
  await planting.visit(page, project, `/talk/${conv}/changes`, ...ofPage);
  // Lines far below are drawn once they are near.
  const nearby = page.getByText('export const value799 = 799;').first();
  await page.keyboard.press('j');
  await expect(nearby).toBeVisible();
  await planting.look(page, 'the diff', 'changed.line');
  await page.getByText(/^Checkpoints \(\d+\)$/).click();
  await planting.look(page, 'the checkpoints', 'changed.left_out');
  await page.getByRole('button', { name: /^Rewind or fork: Start/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await planting.look(page, 'the dialog of a rewind', 'changed.path');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Split' }).click();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await expect(nearby).toBeVisible();
  await planting.look(page, 'the diff in two columns', 'changed.line');
  planting.expectWhole();
});
