// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Preferences } from '../../../daemon/contract/system.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import FirstRun from './first-run.js';

removeAfterEach();

async function drawCards(caller: object, first_run_dismissed: string[], isIntroduced = false) {
  const calls = stubDaemon();
  const page = await drawPart(
    <FirstRun preferences={{ first_run_dismissed } as Preferences} members={[]} isIntroduced={isIntroduced} />,
    {
      at: '/?about=shown',
      known: [
        [['requests', 'recent'], [{ request_id: 'r', caller }]],
        [['imports', 'found', 'project'], { found: [] }],
      ],
    },
  );
  return { page, dismissed: () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body) };
}

it.each([
  ['a test of the operator', { test: true, user_agent: 'meshd' }, false],
  ['this dashboard', { user_agent: 'Mozilla/5.0' }, false],
  ['a program', { user_agent: 'curl/8' }, true],
  ['a program without a name', { user_agent: null }, true],
])('takes the card of programs away once one asked, not %s', async (_, caller, isGone) => {
  const { dismissed } = await drawCards(caller, ['bring']);
  expect(dismissed()).toEqual(isGone ? [{ first_run_dismissed: ['bring', 'program'] }] : []);
});

it('closes the introduction that was opened again', async () => {
  const { page, dismissed } = await drawCards({ user_agent: 'Mozilla/5.0' }, ['ask'], true);
  await page.press('Dismiss “What meshd is”');
  expect(page.address()).toBe('/');
  expect(dismissed()).toEqual([]);
});
