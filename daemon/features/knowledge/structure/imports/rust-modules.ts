import { getFolder, type PathIndex } from './path-index.js';
import type { ProjectConfig } from './project-config.js';

const join = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('/');

/** Returns the file of the module that a path of Rust names, or of the module that holds what it names. */
export function resolveRust(
  from: string,
  specifier: string,
  index: PathIndex,
  config: ProjectConfig,
): string | undefined {
  const parts = specifier.split('::').filter((part) => part !== '');
  const crate = config.crates.find(({ folder }) => folder === '' || from.startsWith(`${folder}/`));
  const source = join(crate?.folder ?? '', 'src');
  const own = getChildFolder(from);
  const [first = '', ...rest] = parts;
  if (first === 'crate') return below(source, rest, index, root(source, index));
  if (first === 'self') return below(own, rest, index, undefined);
  if (first === 'super') {
    let folder = getFolder(own);
    while (rest[0] === 'super') {
      folder = getFolder(folder);
      rest.shift();
    }
    return below(folder, rest, index, findModule(folder, index));
  }
  const other = config.crates.find(({ name }) => name === first);
  if (other) {
    const folder = join(other.folder, 'src');
    return below(folder, rest, index, root(folder, index));
  }
  // A module of this file or of the crate needs no prefix.
  return below(own, parts, index, undefined) ?? below(source, parts, index, undefined);
}

/** The folder of the modules that a file declares. */
function getChildFolder(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^(?:mod|lib|main|build)\.rs$/.test(name) ? getFolder(path) : path.replace(/\.rs$/, '');
}

const root = (source: string, index: PathIndex) => index.first([join(source, 'lib.rs'), join(source, 'main.rs')]);
const findModule = (folder: string, index: PathIndex) =>
  index.first([`${folder}.rs`, join(folder, 'mod.rs'), join(folder, 'lib.rs'), join(folder, 'main.rs')]);

/** Returns the file of the longest start of `parts` below `folder`, else `otherwise`. */
function below(
  folder: string,
  parts: readonly string[],
  index: PathIndex,
  otherwise: string | undefined,
): string | undefined {
  for (let length = parts.length; length > 0; length -= 1) {
    const path = join(folder, ...parts.slice(0, length));
    const found = index.first([`${path}.rs`, join(path, 'mod.rs')]);
    if (found !== undefined) return found;
  }
  return otherwise;
}
