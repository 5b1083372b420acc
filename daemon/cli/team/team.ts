import type { Command } from 'commander';
import type { Draft, Member, MemberDeleted, MemberDetail, MemberList, NewMember } from '../../contract/team.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { addSetting, type Settings } from '../daemon/settings.js';
import { formatExposure } from '../daemon/waiting-members.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { formatRunsOn } from '../models/runs-on.js';
import { readText } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';
import { isConfirmed } from '../yes-or-no.js';
import { memberPath, reportMember, withoutToken } from './member.js';
import { addTeamEdit } from './team-edit.js';
import { addTeamExport } from './team-export.js';
import { addTeamImport } from './team-import.js';
import { addTeamTest } from './team-test.js';

interface ListOptions {
  jsonl?: boolean;
}

function formatState({ state, problem, serving }: Member): string {
  if (state === 'ok') return '';
  const where = problem ? ` line ${problem.line}: ${problem.reason}` : '';
  return `broken${where}${serving ? ' (the last good version serves)' : ''}`;
}

/** Prints one member: the content of its file, the resolved settings and the prompt. */
function showMember(terminal: Terminal, member: MemberDetail): void {
  const runsOn = formatRunsOn(member);
  const rows: [string, string | undefined][] = [
    ['Id', member.id],
    ['Name', [member.emoji, member.name].filter(Boolean).join(' ')],
    ['Description', member.description],
    ['Kind', member.required ? `${member.kind}, required` : member.kind],
    ['Client', `${member.client} → ${runsOn}`],
    ['Effort', member.effort],
    [
      'Exposure',
      member.token_last4 ? `${member.exposure} (token ends in ${member.token_last4})` : formatExposure(member),
    ],
    ['', member.warnings?.find(({ path }) => path === 'exposure')?.reason],
    ['Tools', member.tools?.join(' ')],
    ['Limits', `${member.limits.turns} turns, ${member.limits.minutes} minutes`],
    ['Instances', String(member.instances)],
    ['Problem', formatState(member) || undefined],
    ['Unknown keys', member.unknown_keys.join(', ') || undefined],
  ];
  terminal.table(rows.filter((row): row is [string, string] => row[1] !== undefined));
  terminal.answer('');
  terminal.answer(printable(member.body).trimEnd());
}

/** Shell commands by which another program asks an exposed member. They read the token and never contain it. */
function describeRequest(address: string, id: string): string[] {
  return [
    `export MEMBER_TOKEN="$(meshd token show ${id})"`,
    `curl -s ${address}/team/${id}/ask -H "Authorization: Bearer $MEMBER_TOKEN" -H 'content-type: ` +
      'application/json\' -d \'{"text": "What does this project do?"}\'',
  ];
}

async function listMembers(terminal: Terminal, { root, json, jsonl }: ListOptions & Common): Promise<void> {
  const { client } = await getDaemon(root);
  const list = await client.get<MemberList>('/team');
  if (json) return terminal.object(list);
  if (jsonl) return list.members.forEach((member) => void terminal.record(member));
  const rows = list.members.map((member) => [
    member.id,
    member.kind,
    formatExposure(member),
    formatRunsOn(member),
    formatState(member) || member.description,
  ]);
  if (rows.length === 0)
    terminal.note(list.has_folder ? 'The folder .mesh/team holds no member file.' : 'The folder .mesh/team is gone.');
  terminal.table(rows, ['MEMBER', 'KIND', 'EXPOSURE', 'RUNS ON', 'DESCRIPTION']);
  if (list.restorable.length > 0)
    terminal.note(`Default members gone or broken: ${list.restorable.join(', ')} (meshd team restore <id>).`);
  if (list.removed.length > 0)
    terminal.note(
      `Removed in the last 30 days: ${list.removed.map((one) => one.id).join(', ')} (meshd team restore <id>).`,
    );
}

function addTeamLs(team: Command, terminal: Terminal): void {
  team
    .command('ls')
    .summary('list the members')
    .description('List the members.')
    .option('--jsonl', 'one JSON object a line')
    .addHelpText(
      'after',
      examples('meshd team ls', 'meshd team ls --jsonl | jq -r \'select(.exposure == "external").id\''),
    )
    .action(action<ListOptions, []>(terminal, (options) => listMembers(terminal, options)));
}

function addTeamShow(team: Command, terminal: Terminal): void {
  team
    .command('show')
    .summary('show one member with its prompt')
    .description('Show one member with its prompt; never its token.')
    .argument('<member>')
    .addHelpText('after', examples('meshd team show consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const member = await client.get<MemberDetail>(memberPath(id));
        if (json) terminal.object(withoutToken(member));
        else showMember(terminal, member);
      }),
    );
}

function addTeamNew(team: Command, terminal: Terminal): void {
  team
    .command('new')
    .summary('add a member')
    .description('Add a member: its file is written to .mesh/team/<id>.md.')
    .argument('<id>', 'also the file’s name: a lower-case letter, then letters, digits and hyphens')
    .option('--set <key=value>', 'a key of the file; repeat for more', addSetting)
    .option('--body-file <path>', 'the initial prompt; - reads stdin')
    .addHelpText(
      'after',
      examples(
        'meshd team new translator --set name=Translator --set "description=Keeps the texts in three ' +
          'languages." --body-file prompt.md',
        'meshd team draft "Keeps the changelog" --json | jq -r .body | meshd team new chronicler --body-file -',
      ),
    )
    .action(
      action<{ set?: Settings; bodyFile?: string }, [string]>(terminal, async ({ root, json, set, bodyFile }, id) => {
        const body = bodyFile === undefined ? undefined : await readText(bodyFile);
        const { client } = await getDaemon(root);
        const made = await client.send<MemberDetail>('POST', '/team', {
          body: { ...set, id, ...(body === undefined ? {} : { body }) } as NewMember,
        });
        reportMember(terminal, made, json, `Added ${id}: .mesh/team/${id}.md`);
      }),
    );
}

function addTeamDraft(team: Command, terminal: Terminal): void {
  team
    .command('draft')
    .summary('generate a member from a description')
    .description('Generate a member from a description. Nothing is written: review it, then `meshd team new`.')
    .argument('<text>', 'what the member should do; - reads stdin')
    .option('--name <name>', 'its display name')
    .addHelpText('after', examples('meshd team draft "Reviews database migrations and says what can lock a table"'))
    .action(
      action<{ name?: string }, [string]>(terminal, async ({ root, json, name }, text) => {
        const { client } = await getDaemon(root);
        const words = text === '-' ? await readText('-') : text;
        const draft = await client.send<Draft>('POST', '/team/draft', {
          body: { text: words, ...(name && { name }) },
          timeoutMs: 120_000,
        });
        if (json) return terminal.object(draft);
        for (const warning of draft.warnings) terminal.note(printable(warning));
        terminal.table([
          ['Id', draft.id],
          ['Name', draft.name],
          ['Description', draft.description ?? ''],
          ['Generated by', draft.drafted_by],
        ]);
        terminal.answer('');
        terminal.answer(printable(draft.body).trimEnd());
      }),
    );
}

function addTeamRm(team: Command, terminal: Terminal): void {
  team
    .command('rm')
    .summary('remove a member')
    .description(
      'Remove a member: its file and its token are deleted. Its text is kept below .mesh/state, and meshd team ' +
        'restore writes it back. Singletons cannot be removed.',
    )
    .argument('<member>')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('meshd team rm translator', 'meshd team rm translator --yes'))
    .action(
      action<{ yes?: boolean }, [string]>(terminal, async ({ root, json, yes }, id) => {
        const { client } = await getDaemon(root);
        // Before the question: nobody is asked about a member that does not exist or that stays.
        const { name, kind } = await client.get<MemberDetail>(memberPath(id));
        if (
          !yes &&
          kind !== 'singleton' &&
          !(await isConfirmed(
            terminal,
            `Remove ${printable(name)} (${id}) with its file and its token?`,
            `\`meshd team restore ${id}\` writes it back, with another token.`,
          ))
        ) {
          throw new CommandError(EXIT.failed, 'Nothing was removed.', 'cancelled');
        }
        const gone = await client.send<MemberDeleted>('DELETE', memberPath(id));
        if (json) return terminal.object(gone);
        terminal.answer(`Removed ${gone.deleted}.`);
        if (gone.copy !== undefined)
          terminal.note(`A copy is in ${gone.copy}. \`meshd team restore ${id}\` writes it back.`);
      }),
    );
}

function addTeamRestore(team: Command, terminal: Terminal): void {
  team
    .command('restore')
    .summary('write a removed or default member back')
    .description(
      'Write a member that was removed back as it was; it gets a new token. A default member whose file is ' +
        'broken, or was removed by hand, is written back as shipped.',
    )
    .argument('<member>')
    .addHelpText('after', examples('meshd team restore consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        reportMember(
          terminal,
          await client.send<MemberDetail>('POST', `${memberPath(id)}/restore`),
          json,
          `Restored ${id}.`,
        );
      }),
    );
}

function addTeamExpose(team: Command, terminal: Terminal): void {
  team
    .command('expose')
    .summary('expose a member to other programs')
    .description(
      'Expose a member to other programs of this machine, with its own token. For a member that a clone or a ' +
        'pull has exposed, this is your approval.',
    )
    .argument('<member>')
    .addHelpText('after', examples('meshd team expose consultant', 'meshd token show consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client, file } = await getDaemon(root);
        const member = await client.send<MemberDetail>('POST', `${memberPath(id)}/expose`);
        reportMember(
          terminal,
          member,
          json,
          `${id} is exposed: programs on this machine that have its token can ask it.`,
        );
        terminal.note(
          ['', 'A program asks it so:', ...describeRequest(file.address, id).map((line) => `  ${line}`)].join('\n'),
        );
      }),
    );
}

function addTeamHide(team: Command, terminal: Terminal): void {
  team
    .command('hide')
    .summary('make a member internal')
    .description('Make a member internal: other programs cannot ask it. Its token stops working at once.')
    .argument('<member>')
    .addHelpText('after', examples('meshd team hide consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const member = await client.send<MemberDetail>('PATCH', memberPath(id), { body: { exposure: 'internal' } });
        reportMember(terminal, member, json, `${id} is internal: its token no longer works.`);
      }),
    );
}

export function addTeam(program: Command, terminal: Terminal): void {
  const team = program
    .command('team')
    .summary('the roster: the members of .mesh/team')
    .description('The roster: the members of .mesh/team.');

  addTeamLs(team, terminal);
  addTeamShow(team, terminal);
  addTeamNew(team, terminal);
  addTeamEdit(team, terminal);
  addTeamImport(team, terminal);
  addTeamExport(team, terminal);
  addTeamTest(team, terminal);
  addTeamDraft(team, terminal);
  addTeamRm(team, terminal);
  addTeamRestore(team, terminal);
  addTeamExpose(team, terminal);
  addTeamHide(team, terminal);
}
