/** The paths of the project's sources, by their parts. */
export class PathIndex {
  private readonly all: ReadonlySet<string>;
  private readonly byName = new Map<string, string[]>();
  private readonly byFolder = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    this.all = new Set(paths);
    for (const path of this.all) {
      push(this.byName, path.slice(path.lastIndexOf('/') + 1), path);
      push(this.byFolder, getFolder(path), path);
    }
  }

  has(path: string): boolean {
    return this.all.has(path);
  }

  /** Returns the first of `paths` that exists. */
  first(paths: Iterable<string>): string | undefined {
    for (const path of paths) if (this.all.has(path)) return path;
    return undefined;
  }

  /** Returns the files of a folder, without those of its folders. */
  in(folder: string): readonly string[] {
    return this.byFolder.get(folder) ?? [];
  }

  /** Returns the paths that are `suffix` or end with it after a slash. */
  endingWith(suffix: string): string[] {
    const name = suffix.slice(suffix.lastIndexOf('/') + 1);
    return (this.byName.get(name) ?? []).filter((path) => path === suffix || path.endsWith(`/${suffix}`));
  }

  /** Returns the folders that are `suffix` or end with it after a slash. */
  foldersEndingWith(suffix: string): string[] {
    return [...this.byFolder.keys()].filter((folder) => folder === suffix || folder.endsWith(`/${suffix}`));
  }
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

export const getFolder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Joins and resolves `.` and `..`; undefined when that leaves the project. */
export function joinPath(folder: string, relative: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}/${relative}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

/** Returns the folders around `path`, nearest first, with the root as the last. */
export function foldersAround(path: string): string[] {
  const folders: string[] = [];
  for (let folder = getFolder(path); folder !== ''; folder = getFolder(folder)) folders.push(folder);
  return [...folders, ''];
}

/** Returns that of `paths` which shares the longest start with `from`; the shortest of equals. */
export function nearest(paths: readonly string[], from: string): string | undefined {
  const shared = (path: string) => {
    const [mine, other] = [from.split('/'), path.split('/')];
    let count = 0;
    while (count < mine.length - 1 && mine[count] === other[count]) count += 1;
    return count;
  };
  return [...paths].sort((a, b) => shared(b) - shared(a) || a.length - b.length || (a < b ? -1 : 1))[0];
}
