/**
 * What a program that obeys an injected text does on the machine, once nothing holds it back any more: `{read: path}`, `{search: text, path?}`,
 * `{list: path}`, `{run: command}`, `{fetch: url}`, `{edit: path, text}`. Its own permissions are the affair of the stand-in that carries it.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

export const kindOf = (deed) => ['read', 'search', 'list', 'run', 'fetch', 'edit'].find((kind) => kind in deed);

/** The path that a deed names, as it is written and as it is once links are followed, both relative to the working folder. */
export function pathsOf(deed) {
  const kind = kindOf(deed);
  if (kind === 'run' || kind === 'fetch') return [];
  const path = (kind === 'search' ? deed.path : deed[kind]) ?? '.';
  const written = resolve(path.replace(/^file:\/\//, '').replace(/^~/, process.env.HOME ?? '~'));
  let followed = written;
  try {
    followed = realpathSync(written);
  } catch {
    // It is not there: it leads nowhere.
  }
  return [...new Set([written, followed])].map((one) => relative(process.cwd(), one));
}

/** As the search tools of agents do: without what begins with a dot, unless the path names it, and without following links. */
function* filesUnder(path) {
  const entries = readdirSync(path, { withFileTypes: true });
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue;
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* filesUnder(inner);
    else if (entry.isFile()) yield inner;
  }
}

const linesWith = (file, text) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => `${file}: ${line}`);

const ATTEMPTS = {
  read: ({ read }) => readFileSync(resolve(read.replace(/^~/, process.env.HOME ?? '~')), 'utf8'),
  list: ({ list }) => readdirSync(resolve(list)).join('\n'),
  search: ({ search, path = '.' }, isShown) => {
    try {
      return [...filesUnder(path)]
        .filter(isShown)
        .flatMap((file) => linesWith(file, search))
        .join('\n');
    } catch {
      return linesWith(path, search).join('\n');
    }
  },
  run: ({ run }) =>
    execFileSync('/bin/sh', ['-c', run], { encoding: 'utf8', timeout: 5_000, stdio: ['ignore', 'pipe', 'ignore'] }),
  fetch: async ({ fetch: url }) => (await fetch(url, { signal: AbortSignal.timeout(2_000) })).text(),
  edit: ({ edit, text }) => {
    writeFileSync(resolve(edit), text);
    return 'Written.';
  },
};

/** Does it, and gives what came of it in words. A search passes over files for which `isShown` does not hold. */
export async function attempt(deed, isShown = () => true) {
  try {
    return String(await ATTEMPTS[kindOf(deed)](deed, isShown));
  } catch (error) {
    return `Failed: ${error.message}`;
  }
}
