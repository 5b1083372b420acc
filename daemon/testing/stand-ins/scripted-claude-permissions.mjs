/**
 * Decides like the `claude` program, by its own command line options, whether a tool is allowed, needs permission or is
 * refused.
 */
import { kindOf, pathsOf } from './scripted-attempts.mjs';

const TOOLS = { read: 'Read', search: 'Grep', list: 'Glob', run: 'Bash', fetch: 'WebFetch', edit: 'Edit' };
const READS = ['Read', 'Grep', 'Glob'];

const args = process.argv.slice(3);
const valueAfter = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : '');
const namesAfter = (flag) => valueAfter(flag).split(',').filter(Boolean);
const { permissions = {} } = JSON.parse(valueAfter('--settings') || '{}');

/** Returns the regular expression of a rule's pattern: `**` matches any folders and `*` any part of a name. */
function patternOf(glob) {
  const escaped = glob.replace(/^\.\//, '').replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${escaped.replace(/\*\*\/|\*\*|\*/g, (stars) => ({ '**/': '(.*/)?', '**': '.*', '*': '[^/]*' })[stars])}$`,
  );
}

const RULES = (permissions.deny ?? []).map((rule) => {
  const [, tool, glob] = /^(\w+)\((.*)\)$/.exec(rule);
  return { tool, pattern: patternOf(glob) };
});

const ruled = (name) => (READS.includes(name) ? 'Read' : name);
const isOutside = (path) => path === '..' || path.startsWith('../') || path.startsWith('/');

const isDenied = (name, path) => RULES.some(({ tool, pattern }) => tool === ruled(name) && pattern.test(path));

/** Whether search results of the file are shown. */
export const isShown = (path) => pathsOf({ read: path }).every((one) => !isDenied('Read', one));

/** Returns `refused`, `free` or `asks`, with the program's name of the tool. */
export function verdictOn(deed) {
  const name = TOOLS[kindOf(deed)];
  if (!namesAfter('--tools').includes(name) || namesAfter('--disallowedTools').includes(name))
    return { name, verdict: 'refused' };
  const paths = pathsOf(deed);
  // A folder is denied when everything in it is, because results from it are never shown.
  if (paths.some((path) => isDenied(name, path) || isDenied(name, `${path}/`))) return { name, verdict: 'refused' };
  const isFree = READS.includes(name) && !paths.some(isOutside);
  return { name, verdict: isFree ? 'free' : 'asks' };
}
