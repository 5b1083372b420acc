import { posix } from 'node:path';

const ENDINGS = ['', '.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts', '/index.ts', '/index.js', '/index.mjs'];

interface Manifest {
  name?: string;
  main?: string;
  exports?: unknown;
}

function* strings(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (value && typeof value === 'object') for (const one of Object.values(value)) yield* strings(one);
}

/** Resolves what modules of JavaScript and TypeScript import, among the files of their repository only. */
export function moduleResolver(files: ReadonlySet<string>, manifest: Manifest) {
  const probe = (path: string): string | undefined => {
    const swapped = path.replace(/\.([cm]?)js$/, '.$1ts');
    return [
      ...ENDINGS.map((ending) => path + ending),
      swapped,
      path.replace(/\.jsx?$/, '.tsx'),
      path.replace(/\.js$/, '.d.ts'),
    ]
      .map((one) => posix.normalize(one))
      .find((one) => files.has(one));
  };
  const ownExport = (rest: string): string | undefined => {
    const all = (manifest.exports ?? {}) as Record<string, unknown>;
    const entry = rest === '' ? '.' : `.${rest}`;
    const star = Object.keys(all).find((key) => key.endsWith('/*') && entry.startsWith(key.slice(0, -1)));
    const value = all[entry] ?? (star ? all[star] : undefined);
    const inner = star ? entry.slice(star.length - 1) : '';
    for (const one of strings(value)) {
      const found = probe(posix.normalize(one.replace('*', inner)));
      if (found) return found;
    }
    return undefined;
  };
  return (from: string, specifier: string): string | undefined => {
    if (/^\.\.?(?:\/|$)/.test(specifier)) {
      const path = posix.normalize(posix.join(posix.dirname(from), specifier));
      const isRoot = path === '.' || path === './';
      return isRoot ? probe(posix.normalize(manifest.main ?? 'index')) : probe(path.replace(/\/$/, ''));
    }
    const { name } = manifest;
    if (!name || (specifier !== name && !specifier.startsWith(`${name}/`))) return undefined;
    return ownExport(specifier.slice(name.length));
  };
}
