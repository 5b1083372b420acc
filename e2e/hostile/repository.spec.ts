import type { Conversation } from '../../daemon/contract/conversations.js';
import { exposeWaiting } from '../../daemon/testing/apps/agreement.js';
import { expect, open, test } from '../fixtures.js';
import { CORPUS } from './corpus.js';
import { createMark, PlantedFields } from './planting.js';

const planting = new PlantedFields('repository');
const { length: turns } = CORPUS;
/** Quotes any text for YAML. */
const quoted = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const list = (texts: readonly string[]) => `[${texts.map(quoted).join(', ')}]`;

/** A member file whose every value starts at another string of the corpus. */
const member = (turn: number, body = turn) => `---
name: ${quoted(planting.words('member.name', turn))}
description: ${quoted(planting.words('member.description', turn))}
exposure: ${turn === 0 ? 'external' : 'internal'}
model: ${quoted(planting.words('member.model', turn))}
color: ${quoted(planting.words('member.color', turn))}
emoji: ${quoted(planting.words('member.emoji', turn))}
tools: ${list([planting.words('member.tool', turn)])}
examples: ${list([0, 1, 2, 3].map((more) => planting.words('member.example', turn + more * 15)))}
refs: ${list([planting.words('member.ref', turn), `javascript:struck=80`])}
availability:
  window_hours: ${quoted(planting.words('member.availability.window_hours', turn))}
  sla: ${quoted(planting.words('member.availability.sla', turn))}
contact: {email: ${quoted(planting.words('member.contact', turn))}}
pricing:
  - unit: ${quoted(planting.words('member.pricing.unit', turn))}
    amount: 1
    currency: ${quoted(planting.words('member.pricing.currency', turn))}
    network: ${quoted(planting.words('member.pricing.network', turn))}
    tier: ${quoted(planting.words('member.pricing.tier', turn))}
${quoted(planting.words('member.key', turn))}: 1
---
${planting.words('member.body', body).replaceAll('\0', '')}
`;

/** Makes a text a single line of Markdown. */
const line = (text: string) => text.replace(/\s+/g, ' ').replaceAll('\0', '').trim();

const TESTS = Array.from(
  { length: 20 },
  (_, at) => `## ${line(planting.words('test.question', at * 3))}

- cites: ${planting.fileWords('test.cites', at * 3)}
- says: ${line(planting.words('test.says', at * 3))}
- never says: ${line(planting.words('test.never', at * 3))}
`,
);

/** Every task under a heading of its own. */
const ROADMAP = Array.from(
  { length: turns },
  (_, turn) =>
    `## ${line(planting.words('roadmap.heading', turn))}\n\n- [ ] task-${turn}: ` +
    `${line(planting.words('roadmap.text', turn))}\n  check: ${line(planting.words('roadmap.check', turn))}\n`,
).join('\n');

const foreign = (turn: number) => `---
name: ${quoted(planting.words('import.name', turn))}
description: ${quoted(planting.words('import.description', turn))}
${quoted(planting.words('import.key', turn))}: ${quoted(planting.words('import.value', turn))}
---
Body
`;

const SOURCE = `docs/${planting.fileWords('source.path', 1)}.md`;

test.use({
  folderName: planting.fileWords('project.name', 1),
  files: {
    ...Object.fromEntries(Array.from({ length: turns }, (_, turn) => [`.mesh/team/hostile-${turn}.md`, member(turn)])),
    '.mesh/team/broken.md': `---\nname: *${planting.asciiWords('member.problem', 1).replace(/[\s,[\]{}]+/g, '/')}\n---\n`,
    '.mesh/asks/hostile-0.md': TESTS.join('\n'),
    '.mesh/roadmap.md': ROADMAP,
    ...Object.fromEntries(
      [0, 10, 20, 30, 40, 50].map((turn) => [
        `.claude/agents/${planting.fileWords('import.file', turn)}.md`,
        foreign(turn),
      ]),
    ),
    [SOURCE]: `# Beacon\n\nThe beacon \`BEACON_COLOUR\` is red. ${planting.words('source.line').replaceAll('\0', '')}\n`,
  },
});

test('what a cloned repository says of itself is only text', async ({ page, project }) => {
  test.slow();
  project.write('.mesh/team/hostile-0.md', member(0, 30));
  project.write(SOURCE, `${project.read(SOURCE)}\nIt is lit at dusk.\n`);
  const oneLine = (field: 'commit.author' | 'commit.subject') => line(planting.words(field, 1));
  project.git('-c', `user.name=${oneLine('commit.author')}`, 'commit', '-q', '-a', '-m', oneLine('commit.subject'));
  await planting.visit(page, project, '', 'project.name');
  await planting.visit(page, project, '/team', 'member.name', 'member.description', 'member.problem');
  await planting.visit(page, project, '/team/hostile-0', 'member.example', 'member.ref');
  const inForm = ['member.availability.window_hours', 'member.availability.sla', 'member.contact'] as const;
  await planting.visit(page, project, '/team/hostile-0?tab=file', 'member.body', ...inForm);
  await planting.visit(page, project, '/team/hostile-0?tab=file&as=raw', 'member.body');
  await planting.visit(page, project, '/team/hostile-0?tab=file&as=diff');
  await exposeWaiting(project.api);
  await planting.visit(page, project, '/team/hostile-0?tab=access');
  await planting.visit(page, project, '/team/hostile-0?tab=access&snippet=card', 'member.description');
  await planting.visit(page, project, '/team/hostile-0?tab=tests', 'test.question');
  await planting.visit(page, project, '/team/hostile-0?tab=history', 'commit.author', 'commit.subject');
  await page.getByRole('list', { name: 'Commits' }).getByRole('link').first().click();
  await planting.look(page, 'what a commit changed', 'member.body');
  await planting.visit(page, project, '/team/broken', 'member.problem');
  for (const turn of [5, 25, 45]) await planting.visit(page, project, `/team/hostile-${turn}`, 'member.description');
  await planting.visit(page, project, '/roadmap', 'roadmap.text', 'roadmap.heading', 'roadmap.check');
  await planting.visit(page, project, '/import', 'import.name');
  const closed = page.getByRole('button', { name: /^Details of/, expanded: false });
  await expect(closed.first()).toBeVisible();
  while ((await closed.count()) > 0) await closed.first().click();
  await planting.look(page, 'the imports, opened', 'import.key', 'import.value');
  await planting.visit(page, project, '/export?tool=claude');
  await planting.visit(page, project, '/system/health', 'project.name');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('hostile');
  await expect(page.getByRole('listbox').getByRole('option').first()).toContainText(createMark('member.name'));
  await planting.look(page, 'the palette', 'member.name');
  await page.keyboard.press('Escape');
  const { request_id, citations } = await project.answer('hostile-0', 'Which colour is BEACON_COLOUR?');
  expect(citations?.length).toBeGreaterThan(0);
  await planting.visit(page, project, `/requests/${request_id}`, 'source.path');
  await page.getByRole('list', { name: 'Citations' }).getByRole('link').first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await planting.look(page, 'the cited file', 'source.line');
  await page.getByRole('button', { name: 'Who changed this' }).click();
  await planting.look(page, 'who last changed it', 'commit.author', 'commit.subject');
  const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'hostile-5' });
  await open(page, project, `/talk/${conv}`);
  await page.getByRole('textbox', { name: /^Message to / }).pressSequentially(`@${createMark('source.path')}`);
  await expect(page.getByRole('listbox', { name: 'Files of the project' }).getByRole('option')).toHaveCount(1);
  await planting.look(page, 'the files to mention', 'source.path');
  planting.expectWhole();
});
