import { expect, expectAccessible, open, test } from './fixtures.js';

const FILE = '.mesh/roadmap.md';
const ROADMAP = `- [ ] grammar: Write the grammar @developer
  check: command grammar
- [ ] parser: Write the parser @developer
  after: grammar
  check: command readme
- [ ] ship: Release it @deployer
  after: parser
  check: command readme
`;

test.use({ client: 'claude-code', files: { [FILE]: ROADMAP } });

test('a run of dependent tasks is one conversation, from which those of the tasks and of asked members are reached', async ({
  page,
  agent,
  project,
}) => {
  agent.plays({ text: 'It is finished.' });
  agent.playsTo(
    'Task parser of',
    { call: { name: 'ask_member', input: { member: 'consultant', text: 'What ends a line?' } } },
    { text: 'The parser ends lines as the consultant said.' },
  );
  agent.playsTo('What ends a line?', { text: 'A line feed ends it.' });
  await project.meshd('roadmap', 'checks', 'set', 'readme', 'test -e README.md');
  const failsOnce = 'test -e mended || { touch mended; echo no grammar; exit 3; }';
  await project.meshd('roadmap', 'checks', 'set', 'grammar', failsOnce);

  await open(page, project, '/roadmap');
  await page.getByRole('button', { name: /^Run/ }).click();
  await expect(page.getByRole('heading', { name: /^Tasks3 of 3 done$/ })).toBeVisible();
  expect(project.read(FILE)).toBe(ROADMAP.replaceAll('[ ]', '[x]'));

  await page.getByRole('link', { name: 'Conversation of the last run' }).click();
  const log = page.getByRole('log');
  for (const step of [
    'parser for developer: after grammar',
    'grammar, attempt 1: its check failed',
    'no grammar',
    'grammar is done: its check passed.',
    'ship was given to deployer',
    'No task is ready: the run has ended. 3 done, 0 blocked, 0 open.',
  ])
    await expect(log.getByText(step).first()).toBeVisible();
  const asked = page.getByRole('list', { name: 'Asked conversations' }).getByRole('listitem');
  await expect(asked).toHaveText([/^ship: .*deployer$/, /^parser: .*developer$/, /^grammar: .*developer$/]);
  await expectAccessible(page);

  await asked.getByRole('link', { name: 'parser: Write the parser' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'parser: Write the parser' })).toBeVisible();
  await expect(log.getByText('The parser ends lines as the consultant said.')).toBeVisible();
  await expect(asked).toHaveText([/^What ends a line\?.*consultant$/]);
  await asked.getByRole('link').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'What ends a line?' })).toBeVisible();
  await expect(log.getByText('A line feed ends it.')).toBeVisible();
  await expect(log.getByText('developer', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Asked by' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'parser: Write the parser' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'parser: Write the parser' })).toBeVisible();
  await page.getByRole('link', { name: 'Roadmap', exact: true }).last().click();
  await expect(asked).toHaveCount(3);
});
