import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Member, MemberList } from '../../contract/team.js';
import { getDaemon } from '../daemon/project.js';
import { isExposed } from '../daemon/waiting-members.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import type { Form } from './form-names.js';
import { type FormFile, makeForm, needsToken, tokenVariable } from './team-forms.js';

interface FormOptions {
  root: string;
  form: Form;
  /** Empty: every member that the form can hold. */
  ids: readonly string[];
  /** Where the files are written; undefined: they are printed. */
  into: string | undefined;
  replace: boolean;
}

type State = 'new' | 'same' | 'foreign';

function chooseMembers({ members }: MemberList, { form, ids }: FormOptions): Member[] {
  const unknown = ids.find((id) => !members.some((member) => member.id === id));
  if (unknown !== undefined)
    throw new CommandError(EXIT.notFound, `There is no member ${unknown}: \`meshd team ls\`.`, 'not_found');
  const chosen = members.filter(({ id, serving }) => (ids.length === 0 ? serving : ids.includes(id)));
  if (!needsToken(form)) return chosen;
  const internal = chosen.find((member) => !isExposed(member));
  if (ids.length > 0 && internal)
    throw new CommandError(
      EXIT.refused,
      `${internal.id} is internal, and other programs cannot ask it: \`meshd team expose ${internal.id}\`.`,
      'forbidden',
    );
  const open = chosen.filter(isExposed);
  if (open.length === 0)
    throw new CommandError(EXIT.notFound, 'No member is exposed: `meshd team expose <member>`.', 'not_found');
  return open;
}

function getState(path: string, content: string): State {
  try {
    return readFileSync(path, 'utf8') === content ? 'same' : 'foreign';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'new';
    throw error;
  }
}

/** Writes the files, all or none. Throws `file_exists` for one that differs, unless it is to be replaced. */
function writeFiles(folder: string, files: readonly FormFile[], replace: boolean): State[] {
  const states = files.map(({ path, content }) => getState(join(folder, path), content));
  const foreign = files[states.indexOf('foreign')];
  if (foreign && !replace)
    throw new CommandError(
      EXIT.conflict,
      `${join(folder, foreign.path)} exists and differs: --replace writes it anew.`,
      'file_exists',
    );
  for (const [index, { path, content }] of files.entries()) {
    if (states[index] === 'same') continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return states;
}

const NEXT: Readonly<Record<Form, string>> = {
  acp: 'A registry also asks for a license_url and an icon.svg: add yours.',
  zed: 'Merge it into the settings of the editor: Zed’s settings.json, or ~/.jetbrains/acp.json.',
  'claude-plugin': 'Start Claude Code with it: claude --plugin-dir <folder>.',
  codex: 'Add it to ~/.codex/config.toml.',
};

/** Prints or writes what another program takes to reach members. Tokens stay where they are. */
export async function exportForm(terminal: Terminal, options: FormOptions): Promise<void> {
  const { root, form, into, replace } = options;
  const { client, file } = await getDaemon(root);
  const members = chooseMembers(await client.get<MemberList>('/team'), options);
  const files = makeForm(form, { members, root, address: file.address, command: terminal.environment.command });
  const folder = into === undefined ? undefined : resolve(into);
  const states = folder === undefined ? [] : writeFiles(folder, files, replace);
  const variables = needsToken(form) ? members.map(({ id }) => ({ member: id, variable: tokenVariable(id) })) : [];
  if (terminal.isJson) {
    const shown = files.map((one, index) => ({ ...one, state: states[index] ?? null }));
    return terminal.object({ as: form, folder: folder ?? null, files: shown, variables });
  }
  for (const [index, { path, content }] of files.entries()) {
    if (folder !== undefined)
      terminal.answer(printable(`${join(folder, path)}${states[index] === 'same' ? ' (same)' : ''}`));
    else if (files.length === 1) terminal.piece(printable(content));
    else terminal.piece(printable(`# ${path}\n${content}`));
  }
  terminal.note(NEXT[form]);
  for (const { member, variable } of variables)
    terminal.note(`export ${variable}="$(${terminal.environment.command} token show ${member})"`);
}
