import { join } from 'node:path';
import { EDITORS, type Editor, type Editors, type FileOpened, type OpenFileBody } from '../../contract/code.js';
import type { Preferences } from '../../contract/system.js';
import { isMeshError, MeshError } from '../../lib/errors.js';

interface EditorProgram {
  name: string;
  /** The arguments that open a line of a file. `file` is absolute, so that none of them is read as an option. */
  listArguments: (file: string, line: number, root: string) => string[];
}

/** The window of the project is named, so that the file does not open in the one that was used last. */
const withGoto: EditorProgram['listArguments'] = (file, line, root) => [root, '--goto', `${file}:${line}`];
const withColon: EditorProgram['listArguments'] = (file, line) => [`${file}:${line}`];
const withLine: EditorProgram['listArguments'] = (file, line) => ['--line', String(line), file];

/** The programs that may be started. A program is named by its key on the `PATH`. */
const PROGRAMS: Readonly<Record<Editor, EditorProgram>> = {
  code: { name: 'Visual Studio Code', listArguments: withGoto },
  cursor: { name: 'Cursor', listArguments: withGoto },
  zed: { name: 'Zed', listArguments: withColon },
  windsurf: { name: 'Windsurf', listArguments: withGoto },
  subl: { name: 'Sublime Text', listArguments: withColon },
  idea: { name: 'IntelliJ IDEA', listArguments: withLine },
  webstorm: { name: 'WebStorm', listArguments: withLine },
};

interface ProjectEditorsParts {
  /** Absolute path of the project. */
  root: string;
  getChoice: () => Preferences['editor'];
  /** Returns the path of a program on the operator's `PATH` and outside the project, or undefined. */
  findProgram: (name: string) => Promise<string | undefined>;
  /** Starts a program that outlives the daemon. Throws when it cannot be started. */
  start: (bin: string, args: readonly string[]) => Promise<void>;
  /** Throws `not_found` for a file that may not be read. */
  readLines: (path: string, start: number, end: number) => Promise<{ total_lines: number }>;
}

/** The operator's editors, and opening files of the project in one of them. */
export class ProjectEditors {
  constructor(private readonly parts: ProjectEditorsParts) {}

  async list(): Promise<Editors> {
    const found = await Promise.all(EDITORS.map((editor) => this.parts.findProgram(editor)));
    const editors = EDITORS.map((editor, at) => ({
      editor,
      name: PROGRAMS[editor].name,
      is_found: found[at] !== undefined,
    }));
    const choice = this.parts.getChoice();
    const opensIn = editors.find(({ editor, is_found }) => is_found && (choice === 'automatic' || choice === editor));
    return { editors, opens_in: opensIn?.editor ?? null };
  }

  /**
   * Opens a line of a file in the preferred editor. Resolves once the editor was started. Throws `not_found` for a file
   * that may not be read, `bad_request` for a line after its last one, and `no_editor`.
   */
  async open({ path, line = 1 }: OpenFileBody): Promise<FileOpened> {
    const { total_lines } = await this.readable(path);
    if (line > total_lines)
      throw new MeshError('bad_request', `\`line\` (${line}) is after the last line of ${path}, ${total_lines}.`, {
        details: { path: 'line' },
      });
    const editor = await this.findEditor();
    const bin = await this.parts.findProgram(editor);
    const { name, listArguments } = PROGRAMS[editor];
    if (bin === undefined) throw new MeshError('no_editor', notFound(editor));
    const { root } = this.parts;
    try {
      await this.parts.start(bin, listArguments(join(root, path), line, root));
    } catch (error) {
      throw new MeshError('no_editor', `${name} could not be started. Run \`${editor}\` in a terminal to see why.`, {
        cause: error,
      });
    }
    return { path, line, editor, name };
  }

  private async readable(path: string): Promise<{ total_lines: number }> {
    try {
      return await this.parts.readLines(path, 1, 1);
    } catch (error) {
      if (!isMeshError(error, 'not_found')) throw error;
      throw new MeshError('not_found', `No text file of this project that may be read has the path "${path}".`);
    }
  }

  private async findEditor(): Promise<Editor> {
    const choice = this.parts.getChoice();
    if (choice === 'none')
      throw new MeshError('no_editor', 'Opening files in an editor is off. Choose an editor in Settings, Preferences.');
    if (choice !== 'automatic') return choice;
    const { opens_in } = await this.list();
    if (opens_in !== null) return opens_in;
    throw new MeshError(
      'no_editor',
      `None of ${EDITORS.join(', ')} is on the PATH of the daemon. Install the command of your editor, and restart ` +
        'the daemon from a shell that finds it.',
    );
  }
}

const notFound = (editor: Editor) =>
  `${PROGRAMS[editor].name} is chosen, and \`${editor}\` is not on the PATH of the daemon. Install the command, or ` +
  'choose another editor in Settings, Preferences.';
