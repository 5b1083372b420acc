/**
 * The actions of a program that obeys an injected text, once they are permitted: `{read: path}`,
 * `{search: text, path?}`, `{list: path}`, `{run: command}`, `{fetch: url}`, `{edit: path, text}`. The stand-in that
 * calls them checks permissions.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

export const kindOf = (deed) => ['read', 'search', 'list', 'run', 'fetch', 'edit'].find((kind) => kind in deed);

/** Returns the path of a deed as written and with links followed, both relative to the working folder. */
export function pathsOf(deed) {
  const kind = kindOf(deed);
  if (kind === 'run' || kind === 'fetch') return [];
  const path = (kind === 'search' ? deed.path : deed[kind]) ?? '.';
  const written = resolve(path.replace(/^file:\/\//, '').replace(/^~/, process.env.HOME ?? '~'));
  let followed = written;
  try {
    followed = realpathSync(written);
  } catch {
    // The file does not exist, so there is no link to follow.
  }
  return [...new Set([written, followed])].map((one) => relative(process.cwd(), one));
}

/**
 * Lists files as the search tools of agents do: skips names that begin with a dot, unless the path contains them, and
 * does not follow links.
 */
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

/** Executes a deed and returns its result as text. A search skips files for which `isShown` does not hold. */
export async function attempt(deed, isShown = () => true) {
  try {
    return String(await ATTEMPTS[kindOf(deed)](deed, isShown));
  } catch (error) {
    return `Failed: ${error.message}`;
  }
}
