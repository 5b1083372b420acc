// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { CheckCommandsSection } from './check-commands.js';

removeAfterEach();

it('says what is missing of a command, and sets a whole one', async () => {
  const calls = stubDaemon(({ method }) => (method === 'GET' ? { body: { count: 0, commands: [] } } : undefined));
  const page = await drawPart(<CheckCommandsSection />);
  await page.type('Name', 'lint');
  await page.submit();
  expect(page.words()).toContain('Give the command that the check runs.');
  expect(page.words()).not.toContain('Give the check a name.');
  await page.type('Name', ' ');
  await page.type('Command', 'npm run lint');
  await page.submit();
  expect(page.words()).toContain('Give the check a name.');
  expect(calls.filter(({ method }) => method === 'PUT')).toEqual([]);
  await page.type('Name', 'lint');
  await page.submit();
  expect(calls.find(({ method }) => method === 'PUT')).toMatchObject({
    ...{ path: '/roadmap/checks/lint', body: { command: 'npm run lint' } },
  });
  expect(page.words()).not.toContain('Give the');
});
