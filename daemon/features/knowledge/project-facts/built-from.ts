import { posix } from 'node:path';
import { pattern } from '../../../lib/text/pattern.js';

const ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.mts', '.cts', '.tsx', '.json'];
const SOURCE_ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx', '.coffee'];
/** Folders that a build makes, with those by kind of module below them. */
const MADE = pattern`
    ^(?:dist|build|lib|out|output|target|esm|cjs|es|umd|pkg|compiled|bin)\/
    (?:(?:esm|cjs|es|umd|commonjs|module|src|lib|node|browser|types|es5|es6|es20\d\d)\/)*
  `;
const SOURCE_FOLDERS = ['src/', 'lib/', 'source/', ''];

/**
 * Returns the file that a manifest in `folder` (empty or ending in `/`) names, or the source that it is built from when
 * only a build makes it. Undefined when neither is there. `mayBeIndex`: a build may have given the index another name.
 */
export function sourceOf(
  named: string,
  folder: string,
  has: (path: string) => boolean,
  mayBeIndex = true,
): string | undefined {
  const path = posix.normalize(named).replace(/^\.?\//, '');
  if (path.startsWith('..') || path === '.' || path === '') return undefined;
  const direct = [...ENDINGS.map((ending) => path + ending), `${path}/index.js`, `${path}/index.ts`];
  const found = direct.find((one) => has(folder + one));
  if (found !== undefined) return folder + found;
  const stem = path
    .replace(MADE, '')
    .replace(/(?:\.(?:min|umd|esm|cjs|bundle|common|prod|node)){0,4}\.[cm]?[jt]sx?$/, '');
  const candidates = SOURCE_FOLDERS.flatMap((source) => [
    ...SOURCE_ENDINGS.map((ending) => `${source}${stem}${ending}`),
    ...(mayBeIndex ? SOURCE_ENDINGS.map((ending) => `${source}index${ending}`) : []),
  ]);
  return candidates.map((one) => folder + one).find(has);
}

/** Returns the file of a Python module that a console script of a manifest in `folder` names. */
export function moduleFile(module: string, folder: string, has: (path: string) => boolean): string | undefined {
  const path = module.replaceAll('.', '/');
  return ['', 'src/', 'lib/']
    .flatMap((source) => [`${source}${path}.py`, `${source}${path}/__init__.py`, `${source}${path}/__main__.py`])
    .map((one) => folder + one)
    .find(has);
}
