import { type Command, Option } from 'commander';
import {
  AGENT_FORMATS,
  type AgentFormat,
  type Drift,
  type DriftList,
  type FieldFate,
  type ImportBody,
  type ImportCandidate,
  type ImportCandidates,
  type Imported,
} from '../../contract/imports.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';

const IMPORT_TIMEOUT_MS = 120_000;

interface ImportOptions {
  from?: AgentFormat;
  user?: boolean;
  dryRun?: boolean;
  all?: boolean;
}

interface DriftOptions {
  pull?: string;
  ignore?: string;
}

const STATES: Readonly<Record<ImportCandidate['state'], string>> = {
  new: 'new',
  same: 'imported',
  changed: 'changed since',
  conflict: 'id in use',
  unreadable: 'cannot be read',
  not_a_member: 'no member',
};

const formatSource = ({ source, entry }: Pick<ImportCandidate, 'source' | 'entry'>) =>
  entry === null ? source : `${source} (${entry})`;
const listKeys = (fields: readonly FieldFate[], fate: FieldFate['fate']) =>
  fields
    .filter((field) => field.fate === fate)
    .map(({ key, to }) => (to === undefined || to === key ? key : `${key} → ${to}`))
    .join(', ') || '–';

const isImportable = ({ state }: ImportCandidate) => state === 'new' || state === 'conflict';

/** Prints what was found and how each key would be imported. */
function preview(terminal: Terminal, { found, left_out: leftOut }: ImportCandidates): void {
  terminal.table(
    found.map((one) => [
      one.id || '–',
      (one.written_for === undefined ? STATES[one.state] : 'exported') +
        (one.suggested === undefined ? '' : `, ${one.suggested} is free`),
      formatSource(one),
      one.reason ?? listKeys(one.fields, 'taken'),
      listKeys(one.fields, 'kept'),
      listKeys(one.fields, 'unused'),
    ]),
    ['ID', 'STATE', 'FOUND IN', 'USED', 'KEPT FOR EXPORT', 'NOT USED HERE'],
  );
  for (const one of found) for (const note of one.notes) terminal.note(`${one.id}: ${printable(note)}`);
  if (leftOut > 0) terminal.note(`${leftOut} more files were skipped: narrow the scan with --from.`);
}

/**
 * Selects the files that `ids` name, by id, suggested id or path; with `isAll` every importable one, and the suggested
 * free id where an id is taken.
 */
function chosen({ found }: ImportCandidates, ids: readonly string[], isAll: boolean): ImportBody['items'] {
  const importable = found.filter(isImportable);
  const picked = isAll
    ? importable
    : ids.map((id) => {
        const one = importable.find(
          (candidate) => candidate.suggested === id || candidate.source === id || candidate.id === id,
        );
        if (one) return one;
        const known = found.find((candidate) => candidate.id === id || candidate.source === id);
        const why = known
          ? `cannot be imported: ${printable(known.reason ?? `it is ${STATES[known.state]}`)}`
          : 'was not found; `meshd team import` lists what there is';
        throw new CommandError(
          known ? EXIT.conflict : EXIT.notFound,
          `${id} ${why.replace(/\.$/, '')}.`,
          known ? 'member_exists' : 'not_found',
        );
      });
  return [...new Set(picked)].map(({ source, entry, scope, sha256, id, suggested }) => ({
    source,
    entry,
    scope,
    sha256,
    id: suggested ?? id,
  }));
}

function report(terminal: Terminal, { imported, skipped }: Imported, json: boolean | undefined): void {
  if (skipped.length > 0) terminal.exit = imported.length > 0 ? EXIT.failed : EXIT.conflict;
  if (json) {
    terminal.object({ imported, skipped });
    return;
  }
  for (const { id, source } of imported)
    terminal.answer(`Imported ${id} from ${sanitizeDisplayLine(source)}: .mesh/team/${id}.md`);
  for (const { source, reason } of skipped)
    terminal.note(`Skipped ${sanitizeDisplayLine(source)}: ${printable(reason)}`);
  if (imported.length > 0) terminal.note('They are internal: `meshd team expose <id>` exposes one.');
}

/** Prints what an import would find, and how to run it. */
function showCandidates(terminal: Terminal, looked: ImportCandidates, { json, user }: ImportOptions & Common): void {
  if (json) return void terminal.object(looked);
  if (looked.count === 0)
    return void terminal.note(`No agents of other tools in ${user ? 'the home folder' : 'this project'}.`);
  preview(terminal, looked);
  const count = looked.found.filter(isImportable).length;
  if (count > 0)
    terminal.note(`Nothing was written. \`meshd team import --all\` imports ${count}, \`meshd team import <id>\` one.`);
}

async function importMembers(terminal: Terminal, options: ImportOptions & Common, ids: string[]): Promise<void> {
  const { root, json, from, user, all, dryRun } = options;
  const { client } = await getDaemon(root);
  const query = new URLSearchParams({ ...(from && { format: from }), ...(user && { scope: 'user' }) });
  const looked = await client.get<ImportCandidates>(`/imports?${query}`);
  const items = chosen(looked, ids, all === true);
  if (dryRun || (ids.length === 0 && !all)) return showCandidates(terminal, looked, options);
  if (items.length === 0) {
    if (json) return terminal.object({ imported: [], skipped: [] } satisfies Imported);
    return terminal.note('Nothing is new.');
  }
  const done = await client.send<Imported>('POST', '/imports', {
    body: { items } satisfies ImportBody,
    timeoutMs: IMPORT_TIMEOUT_MS,
  });
  report(terminal, done, json);
}

function addImport(team: Command, terminal: Terminal): void {
  team
    .command('import')
    .summary('import agents of other tools into the team')
    .description(
      'Import agents of other tools as members. Without ids or --all, only lists them and the use of each key.',
    )
    .argument('[found...]', 'which ones: ids or files of the list')
    .addOption(new Option('--from <tool>', 'only the agents of this tool').choices([...AGENT_FORMATS]))
    .option('--user', 'scan the home folder instead of the project')
    .option('--all', 'every one that is new')
    .option('--dry-run', 'write nothing')
    .addHelpText(
      'after',
      examples(
        'meshd team import',
        'meshd team import --from claude --all',
        'meshd team import code-reviewer debugger',
      ),
    )
    .action(action<ImportOptions, [string[]]>(terminal, (options, ids) => importMembers(terminal, options, ids)));
}

function showDrift(terminal: Terminal, drifted: readonly Drift[]): void {
  terminal.table(
    drifted.map(({ id, source, state, member_edited: isEdited, fields }) => [
      id,
      state === 'gone' ? 'source is gone' : isEdited ? 'changed; a pull overwrites your edits' : 'changed',
      source,
      fields.map(({ key }) => key).join(', ') || '–',
    ]),
    ['MEMBER', 'STATE', 'SOURCE', 'A PULL CHANGES'],
  );
}

/** Lists the members whose source changed, after the change to one of them is pulled or ignored. */
async function settleDrift(terminal: Terminal, { root, json, pull, ignore }: DriftOptions & Common): Promise<void> {
  if (pull !== undefined && ignore !== undefined)
    throw new CommandError(EXIT.usage, 'Give --pull or --ignore, not both.', 'usage');
  const { client } = await getDaemon(root);
  const id = pull ?? ignore;
  const list =
    id === undefined
      ? await client.get<DriftList>('/imports/drift')
      : await client.send<DriftList>('POST', `/imports/${encodeURIComponent(id)}/drift`, {
          body: { action: pull === undefined ? 'ignore' : 'pull' },
        });
  if (json) return terminal.object(list);
  if (id !== undefined)
    terminal.answer(pull === undefined ? `${id}: this change is ignored.` : `${id} now matches its source.`);
  if (list.count === 0 && id === undefined) terminal.note('Every imported member matches its source.');
  showDrift(terminal, list.drifted);
}

function addDrift(team: Command, terminal: Terminal): void {
  team
    .command('drift')
    .summary('show source changes of imported members')
    .description('Show imported members whose source changed, pull the change into one, or ignore it.')
    .option('--pull <member>', 'apply the change to the member')
    .option('--ignore <member>', 'ignore this change')
    .addHelpText('after', examples('meshd team drift', 'meshd team drift --pull code-reviewer'))
    .action(action<DriftOptions, []>(terminal, (options) => settleDrift(terminal, options)));
}

export function addTeamImport(team: Command, terminal: Terminal): void {
  addImport(team, terminal);
  addDrift(team, terminal);
}
