import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { MemberDetail } from '../daemon/contract/team.js';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

const SCRIBE =
  '---\nname: scribe\ndescription: Keeps the log of the harbour.\ntools: Read, Grep # least\nmodel: ' +
  'inherit\ncolor: blue\nhooks: {}\n---\n\nWrite down what happens.\n';
const DEVELOPER = '---\nname: developer\ndescription: Builds lamps.\n---\n\nBuild.\n';
const PILOT =
  'name = "pilot"\ndescription = "Brings ships in."\nsandbox_mode = "read-only"\ndeveloper_instructions = ' +
  '"""\nMind the shoals.\n"""\n';

test.describe('agents of other tools', () => {
  test.use({
    files: {
      '.claude/agents/scribe.md': SCRIBE,
      '.claude/agents/developer.md': DEVELOPER,
      '.codex/agents/pilot.toml': PILOT,
      '.cursor/agents/broken.md': '---\nname: [\n---\nx',
    },
  });

  test('become members: two of three are taken, each key is accounted for, and it can be taken back', async ({
    page,
    project,
  }) => {
    await open(page, project);
    const bring = page.getByRole('region', { name: 'First steps' });
    await expect(bring.getByText('Found 3 in this project: 2 of Claude Code, 1 of Codex.')).toBeVisible();
    await bring.getByRole('link', { name: 'Review import' }).click();
    await expect(page).toHaveURL(/\/app\/import$/);
    const claude = page.getByRole('region', { name: /^Claude Code/ });
    const scribe = claude.getByRole('listitem').filter({ hasText: 'scribe.md' });
    await expect(scribe.getByRole('checkbox', { name: 'Scribe' })).toBeChecked();
    await scribe.getByRole('button', { name: 'Details of Scribe' }).click();
    await expect(scribe.getByRole('heading', { name: 'Used 5' })).toBeVisible();
    await expect(scribe.getByRole('heading', { name: 'Kept for export 1' })).toBeVisible();
    await expect(scribe.getByText('Never run here.')).toBeVisible();
    await expect(scribe.getByRole('heading', { name: 'Not used here 1' })).toBeVisible();
    const broken = page.getByRole('region', { name: /^Cursor/ }).getByRole('listitem');
    await expect(broken.getByText(/^Line \d+, column \d+: /)).toBeVisible();
    await expect(broken.getByRole('checkbox')).toHaveCount(0);

    const developer = claude.getByRole('listitem').filter({ hasText: 'developer.md' });
    await expect(developer.getByText('id in use')).toBeVisible();
    await expect(developer.getByRole('checkbox')).not.toBeChecked();
    await developer.getByRole('checkbox').check();
    const id = developer.getByRole('textbox', { name: 'Id of Developer' });
    await expect(id).toHaveValue('developer-2');
    await id.fill('Lamp Builder');
    await expect(developer.getByText(/^A letter first/)).toBeVisible();
    await expectAccessible(page);
    await id.fill('lamp-builder');
    await page.getByRole('checkbox', { name: 'Pilot' }).uncheck();
    expect(existsSync(join(project.root, '.mesh/team/scribe.md'))).toBe(false);

    await page.getByRole('button', { name: 'Import 2 members' }).click();
    // Hovering keeps the toast open, however long the rest takes.
    await page.getByRole('button', { name: 'Undo' }).hover();
    const imported = page.getByRole('list', { name: 'Imported members' });
    await expect(imported.getByRole('link')).toHaveText(['lamp-builder', 'scribe']);
    await expectAccessible(page);
    const made = await project.api<MemberDetail>('GET', '/team/scribe');
    expect({ exposure: made.exposure, tools: made.tools, model: made.model }).toEqual({
      exposure: 'internal',
      tools: ['read', 'search'],
      model: 'strongest',
    });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('2 members are removed again.')).toBeVisible();
    expect(existsSync(join(project.root, '.mesh/team/scribe.md'))).toBe(false);
    expect(existsSync(join(project.root, '.mesh/team/developer.md'))).toBe(true);
    expect(project.read('.claude/agents/scribe.md')).toBe(SCRIBE);

    await page.getByRole('checkbox', { name: 'Developer' }).uncheck();
    await page.getByRole('button', { name: 'Import 2 members' }).click();
    await expect(imported.getByRole('link')).toHaveText(['scribe', 'pilot']);
    await imported.getByRole('link', { name: 'scribe' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Scribe' })).toBeVisible();
  });

  test('are followed: a change of the source shows at once, is pulled, taken back, and ignored', async ({
    page,
    project,
  }) => {
    await project.meshd('team', 'import', 'scribe');
    await open(page, project, '/team');
    const row = page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: 'scribe' });
    await expect(row).toBeVisible();
    await expect(page.getByText('source changed')).toHaveCount(0);
    project.write(
      '.claude/agents/scribe.md',
      SCRIBE.replace('Keeps the log', 'Keeps the book').replace('what happens', 'everything'),
    );
    await expect(row.getByText('source changed', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Source changed 1' }).click();
    await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(1);
    await row.getByRole('link').first().click();

    const brings = page.getByLabel('What a pull changes');
    await expect(brings.getByRole('term')).toHaveText(['description', 'Initial prompt']);
    await expect(brings).toContainText('Keeps the book of the harbour.');
    await page.getByRole('button', { name: 'See the whole difference' }).click();
    const difference = page.getByRole('region', { name: /^\.mesh\/team\/scribe\.md now/ });
    await expect(difference).toContainText('removed: Write down what happens.');
    await expect(difference).toContainText('added: Write down everything.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Pull the change' }).click();
    await expect(brings).toHaveCount(0);
    await expect(page.getByText('Keeps the book of the harbour.')).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('scribe is as it was before.')).toBeVisible();
    await expect(brings).toBeVisible();
    expect(project.read('.mesh/team/scribe.md')).toContain('Keeps the log');

    await project.api('PATCH', '/team/scribe', { body: 'Write in ink.\n' });
    await expect(page.getByText('You edited this member since.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Pull over my edits' })).toBeVisible();
    await page.getByRole('button', { name: 'Ignore this change' }).click();
    await expect(brings).toHaveCount(0);
    expect(project.read('.mesh/team/scribe.md')).toContain('Write in ink.');
  });

  test('are given members in their own words: looked at first, written, and never over another’s file unasked', async ({
    page,
    project,
  }) => {
    await open(page, project, '/export');
    const files = page.getByRole('list', { name: 'Files for Claude Code' });
    const developer = files
      .getByRole('listitem')
      .filter({ hasText: 'developer.md' })
      .filter({ hasText: 'another file exists' });
    await expect(files.getByRole('listitem')).toHaveCount(9);
    await expect(developer.getByRole('checkbox')).not.toBeChecked();
    await expect(page.getByRole('button', { name: 'Write 8 files' })).toBeVisible();
    const master = files.getByRole('listitem').filter({ hasText: 'architect-master' });
    await master.getByRole('button', { name: 'Preview of architect-master' }).click();
    await expect(master.getByRole('list', { name: 'Not exported of architect-master' })).toContainText(
      'that tool has no singletons',
    );
    await expect(master.getByText('name: architect-master')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Write 8 files' }).click();
    await expect(master.getByText('written', { exact: true })).toBeVisible();
    expect(project.read('.claude/agents/architect-master.md')).toContain('name: architect-master');
    expect(project.read('.claude/agents/developer.md')).toBe(DEVELOPER);

    await project.api('PATCH', '/team/deployer', { description: 'Sails at dawn.' });
    await expect(files.getByRole('listitem').filter({ hasText: 'deployer' }).getByText('to be updated')).toBeVisible();
    expect(await project.meshd('team', 'export', '--all', '--write')).toMatch(/deployer +replaced/);
    expect(project.read('.claude/agents/deployer.md')).toContain('Sails at dawn.');

    await page.goto(`${project.address}/app/team/developer`);
    await page.getByRole('link', { name: 'Export', exact: true }).click();
    await expect(
      page.getByRole('region', { name: 'What is in .claude/agents/developer.md compared with the new text' }),
    ).toContainText('Builds lamps.');
    await expect(page.getByRole('button', { name: /^Write 0 files/ })).toHaveAttribute('aria-disabled', 'true');
    await page.getByRole('checkbox', { name: /^Replace \.claude\/agents\/developer\.md/ }).check();
    await page.getByRole('button', { name: 'Write 1 file', exact: true }).click();
    await expect(files.getByText('written', { exact: true })).toBeVisible();
    expect(project.read('.claude/agents/developer.md')).toContain('name: developer\ndescription: Writes');
    await page.getByRole('link', { name: 'Codex' }).click();
    await expect(page).toHaveURL(/tool=codex/);
    await expect(page.getByText('.codex/agents/developer.toml').first()).toBeVisible();
  });

  test('are imported by keyboard alone, from the palette on', async ({ page, project }) => {
    await open(page, project);
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await expect(palette.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('import agents');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Import agents' })).toBeVisible();
    const pilot = page.getByRole('checkbox', { name: 'Pilot' });
    await tabTo(page, pilot);
    await page.keyboard.press('k');
    await page.keyboard.press('k');
    await expect(page.getByRole('checkbox', { name: 'Developer' })).toBeFocused();
    await page.keyboard.press('j');
    await expect(page.getByRole('checkbox', { name: 'Scribe' })).toBeFocused();
    await page.keyboard.press('Space');
    await expect(page.getByRole('checkbox', { name: 'Scribe' })).not.toBeChecked();
    await tabTo(page, page.getByRole('button', { name: 'Import 1 member', exact: true }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Imported' })).toBeFocused();
    expect(existsSync(join(project.root, '.mesh/team/pilot.md'))).toBe(true);
  });
});

test('a project without agents of other tools says where it looked, and what to type instead', async ({
  page,
  project,
}) => {
  await open(page, project, '/import');
  await expect(page.getByText('No agents of other tools found.')).toBeVisible();
  await expect(page.getByText('meshd team import', { exact: true })).toBeVisible();
  await expectAccessible(page);
});
