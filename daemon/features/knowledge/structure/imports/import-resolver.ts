import { resolveModule } from './ecmascript-modules.js';
import { foldersAround, getFolder, joinPath, nearest, type PathIndex } from './path-index.js';
import type { ProjectConfig } from './project-config.js';
import { resolveRust } from './rust-modules.js';

const TARGETS_MAX = 200;
/** Folders in which Python packages usually stand. */
const PYTHON_ROOTS = ['', 'src', 'lib', 'python'];

interface ImportToResolve {
  path: string;
  specifier: string;
  language: string;
  /** The names that are imported, as in the other file. */
  names: readonly string[];
}

/** Finds the files of the project that imports mean. */
export class ImportResolver {
  constructor(
    private readonly index: PathIndex,
    private readonly config: ProjectConfig,
    /** The files of each package or namespace. */
    private readonly packages: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Returns the files that an import means, without its own; none for one of another project. */
  resolve(one: ImportToResolve): string[] {
    const { path, specifier } = one;
    return [...new Set(this.targets(one, path, specifier))].filter((target) => target !== path).slice(0, TARGETS_MAX);
  }

  private targets(one: ImportToResolve, path: string, specifier: string): readonly string[] {
    switch (one.language) {
      case 'ecmascript':
        return optional(resolveModule(path, specifier, this.index, this.config));
      case 'python':
        return this.python(path, specifier, one.names);
      case 'go':
        return this.go(specifier);
      case 'java':
        return this.java(path, specifier);
      case 'rust':
        return optional(resolveRust(path, specifier, this.index, this.config));
      case 'cpp':
        return optional(this.include(path, specifier));
      case 'csharp':
        return this.packages.get(specifier) ?? [];
      case 'ruby':
        return optional(this.ruby(path, specifier));
      case 'php':
        return this.php(path, specifier);
      case 'bash':
        return optional(this.shell(path, specifier));
      default:
        return [];
    }
  }

  private python(path: string, specifier: string, names: readonly string[]): string[] {
    const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
    const module = specifier
      .slice(dots)
      .split('.')
      .filter((part) => part !== '');
    const folders = foldersAround(path);
    const bases = dots > 0 ? [folders[dots - 1]].filter((one) => one !== undefined) : this.pythonRoots(path);
    for (const base of bases) {
      const folder = [base, ...module].filter((part) => part !== '').join('/');
      const own = this.index.first([
        `${folder}.py`,
        `${folder}/__init__.py`,
        `${folder}.pyi`,
        `${folder}/__init__.pyi`,
      ]);
      // `from package import module` means a file of the package.
      const inner = names.flatMap((name) =>
        optional(
          /^\w+$/.test(name) ? this.index.first([`${folder}/${name}.py`, `${folder}/${name}/__init__.py`]) : undefined,
        ),
      );
      if (own !== undefined || inner.length > 0) return [...optional(own), ...inner];
    }
    if (dots > 0 || module.length < 2) return [];
    const suffix = module.join('/');
    const found = [...this.index.endingWith(`${suffix}.py`), ...this.index.endingWith(`${suffix}/__init__.py`)];
    return optional(nearest(found, path));
  }

  private pythonRoots(path: string): string[] {
    return [...new Set([...PYTHON_ROOTS, ...foldersAround(path)])];
  }

  private go(specifier: string): string[] {
    for (const { folder, module } of this.config.goModules) {
      if (specifier !== module && !specifier.startsWith(`${module}/`)) continue;
      const target = joinPath(folder, specifier.slice(module.length)) ?? '';
      return this.index.in(target).filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'));
    }
    return [];
  }

  private java(path: string, specifier: string): readonly string[] {
    const parts = specifier.split('.');
    if (parts.at(-1) === '*') {
      const packaged = this.packages.get(parts.slice(0, -1).join('.'));
      if (packaged) return packaged;
    }
    // A member or an inner class is in the file of the outermost class.
    for (let length = parts.length; length > 1 && length >= parts.length - 2; length -= 1) {
      const found = nearest(this.index.endingWith(`${parts.slice(0, length).join('/')}.java`), path);
      if (found !== undefined) return [found];
    }
    return [];
  }

  private include(path: string, specifier: string): string | undefined {
    const beside = joinPath(getFolder(path), specifier);
    if (beside !== undefined && this.index.has(beside)) return beside;
    const suffix = joinPath('', specifier.replace(/^(?:\.\.?\/)+/, '')) ?? '';
    return nearest(this.index.endingWith(suffix), path);
  }

  private ruby(path: string, specifier: string): string | undefined {
    const name = specifier.endsWith('.rb') ? specifier : `${specifier}.rb`;
    const beside = joinPath(getFolder(path), name);
    if (specifier.startsWith('.')) return beside !== undefined && this.index.has(beside) ? beside : undefined;
    return (
      nearest(this.index.endingWith(`lib/${name}`), path) ??
      (name.includes('/') ? nearest(this.index.endingWith(name), path) : undefined)
    );
  }

  private php(path: string, specifier: string): readonly string[] {
    if (specifier.startsWith('./')) {
      const beside = this.index.first([joinPath(getFolder(path), specifier) ?? '', joinPath('', specifier) ?? '']);
      return optional(beside ?? nearest(this.index.endingWith(specifier.replace(/^(?:\.\.?\/)+/, '')), path));
    }
    const parts = specifier.split('\\');
    const name = `${parts.at(-1) ?? ''}.php`;
    const packaged = this.packages.get(parts.slice(0, -1).join('\\')) ?? [];
    const own = packaged.filter((file) => file === name || file.endsWith(`/${name}`));
    return own.length > 0
      ? own
      : optional(nearest(this.index.endingWith(parts.slice(-2).join('/').concat('.php')), path));
  }

  private shell(path: string, specifier: string): string | undefined {
    const places = foldersAround(path).map((folder) => joinPath(folder, specifier) ?? '');
    const name = specifier.replace(/^(?:\.\.?\/)+/, '');
    return this.index.first(places) ?? nearest(this.index.endingWith(name), path);
  }
}

const optional = (path: string | undefined): string[] => (path === undefined ? [] : [path]);
