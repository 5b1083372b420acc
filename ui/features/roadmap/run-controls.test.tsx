// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Roadmap } from '../../../daemon/contract/work/roadmap.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { RoadmapProblems } from './roadmap-problems.js';
import { RunControls } from './run-controls.js';

removeAfterEach();

const roadmap = (running: boolean) =>
  ({ limit: 1, running, tasks: [{ id: 'dusk', state: 'open' }] }) as unknown as Roadmap;

it('runs with the chosen number of tasks, and changes it while it runs', async () => {
  const calls = stubDaemon();
  const still = await drawPart(<RunControls roadmap={roadmap(false)} />);
  await still.type('Parallel tasks', '2');
  expect(calls).toEqual([]);
  await still.press('Run');
  expect(calls).toMatchObject([{ method: 'POST', path: '/roadmap/run', body: { limit: 2 } }]);
  const running = await drawPart(<RunControls roadmap={roadmap(true)} />);
  await running.type('Parallel tasks', '3');
  expect(calls[1]).toMatchObject({ method: 'POST', path: '/roadmap/run', body: { limit: 3 } });
});

it('says that the run goes on when it could not be stopped', async () => {
  stubDaemon(({ path }) => ({ status: 503, body: { error: 'internal', message: `${path} failed.` } }));
  const page = await drawPart(<RunControls roadmap={roadmap(true)} />);
  await page.type('Parallel tasks', '2');
  await page.press('Stop');
  expect(page.words()).toMatch(/The roadmap was not stopped: the run goes on\..*\/roadmap\/stop failed\./);
});

it('lists each line of the file that could not be read', async () => {
  const page = await drawPart(<RoadmapProblems path=".mesh/roadmap.md" problems={['The id dusk is given twice.']} />);
  expect(page.words()).toBe('.mesh/roadmap.md: The id dusk is given twice.');
});
