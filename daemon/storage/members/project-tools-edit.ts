import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toStorageError } from '../../lib/disk-errors.js';
import { MeshError } from '../../lib/errors.js';
import { foldPath } from '../../lib/text/fold-path.js';
import { atomicWrite } from '../files/atomic-write.js';
import { FILE_MAX_BYTES, type ProjectFiles } from '../project-files.js';

/** Folders in which nothing may be edited: they hold programs' own state or third-party files. */
const NOT_EDITED = new Set(['.git', '.hg', '.svn', 'node_modules']);
const ROADMAP = '.mesh/roadmap.md';

interface Tree {
  root: string;
  files: ProjectFiles;
  mayRead: (path: string) => boolean;
  toText: (bytes: Uint8Array) => string | undefined;
}

interface Edit {
  path: string;
  /** The file is in the project's list of files. */
  isKnown: boolean;
  old: string;
  text: string;
}

/** Applies one edit; see `ProjectTools.replace`. */
export async function replaceText(tree: Tree, { path, isKnown, old, text }: Edit): Promise<{ line: number }> {
  refuseProtected(path);
  if (old === '') {
    await createFile(tree, path, text);
    return { line: 1 };
  }
  const bytes = isKnown ? tree.files.read(path)?.bytes : undefined;
  if (!bytes || tree.toText(bytes) === undefined)
    throw new MeshError('not_found', 'No text file of this project that may be edited has this path.');
  const before = bytes.toString('utf8');
  if (!Buffer.from(before, 'utf8').equals(bytes))
    throw new MeshError('bad_request', 'The file is not UTF-8: it is edited by hand only.');
  const { start, length, replacement } = getPlace(before, old, text);
  const after = before.slice(0, start) + replacement + before.slice(start + length);
  refuseTooLarge(after);
  const target = join(tree.root, path);
  if (tree.files.read(path)?.bytes.equals(bytes) !== true)
    throw new MeshError('file_changed', 'The file has just changed: read it again.');
  await atomicWrite(target, after, 'usual');
  return { line: before.slice(0, start).split('\n').length };
}

/** Finds the only occurrence of `old`. In a file with CRLF line ends, `old` with LF line ends also matches. */
function getPlace(before: string, old: string, text: string): { start: number; length: number; replacement: string } {
  const crlf = (value: string) => value.replace(/\r?\n/g, '\r\n');
  const usesCrlf = before.includes('\r\n');
  for (const [wanted, replacement] of usesCrlf
    ? [[old, text] as const, [crlf(old), crlf(text)] as const]
    : [[old, text] as const]) {
    const start = before.indexOf(wanted);
    if (start < 0) continue;
    if (before.indexOf(wanted, start + 1) >= 0) {
      throw new MeshError(
        'bad_request',
        '`old_text` stands more than once in the file: give more of the lines around it.',
      );
    }
    return { start, length: wanted.length, replacement };
  }
  throw new MeshError(
    'bad_request',
    '`old_text` does not stand in the file, character for character: read the file again.',
  );
}

async function createFile(tree: Tree, path: string, text: string): Promise<void> {
  if (!isOrdinaryPath(path) || !tree.mayRead(path))
    throw new MeshError('forbidden', 'No file may be made at this path.');
  refuseTooLarge(text);
  makeFolders(tree.root, path.split('/').slice(0, -1));
  const target = join(tree.root, path);
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw new MeshError('bad_request', 'There is something at this path already: to change it, give `old_text`.');
  }
  // Detects links that were created meanwhile: the real folder must equal the requested one.
  if (realpathSync(dirname(target)) !== dirname(target))
    throw new MeshError('forbidden', 'A folder of this path is a link.');
  await atomicWrite(target, text, 'usual');
}

function makeFolders(root: string, parts: readonly string[]): void {
  let folder = root;
  for (const part of parts) {
    folder = join(folder, part);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) throw new MeshError('forbidden', 'A folder of this path is a link or a file.');
    try {
      if (!found) mkdirSync(folder);
    } catch (error) {
      throw toStorageError(error);
    }
  }
}

function refuseProtected(path: string): void {
  const parts = foldPath(path).split('/');
  if (parts.some((part) => NOT_EDITED.has(part)))
    throw new MeshError('forbidden', 'Files in this folder are not edited by agents.');
  if (parts[0] === '.mesh' && path !== ROADMAP) {
    throw new MeshError('forbidden', `Of \`.mesh\` an agent edits \`${ROADMAP}\` only: the roster is the operator’s.`);
  }
}

function refuseTooLarge(text: string): void {
  if (Buffer.byteLength(text) > FILE_MAX_BYTES)
    throw new MeshError('too_large', 'A file of more than 1 MiB is not written by agents.');
}

/** Reports whether the relative path consists of ordinary names that no file system treats as another name. */
function isOrdinaryPath(path: string): boolean {
  if (path.length > 1_024) return false;
  return path
    .split('/')
    .every(
      (part) => part.length <= 255 && /^[\p{L}\p{N}._@()[\]+=, -]+$/u.test(part) && !/^\.{1,2}$|[. ]$|^ /.test(part),
    );
}
