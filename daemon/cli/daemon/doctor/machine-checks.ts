import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { about, type Finding } from './check.js';

const WATCHES_MIN = 8_192;
const INSTANCES_MIN = 64;
const PROXIES = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    // This system has no such limit.
    return undefined;
  }
}

/** Checks how many files the system allows a user to watch. `limits` is the folder that contains the limits. */
export function checkWatches(limits = '/proc/sys/fs/inotify'): Finding {
  const { ok, warn } = about('watches', 'Limits of file watching');
  const watches = readNumber(join(limits, 'max_user_watches'));
  const instances = readNumber(join(limits, 'max_user_instances'));
  if (watches === undefined || instances === undefined) return ok('this system has none');
  const slower = 'once they are used up, edits by hand are noticed within two seconds instead of at once';
  if (watches < WATCHES_MIN)
    return warn(
      `${watches} watches for all your programs: ${slower}`,
      'sudo sysctl fs.inotify.max_user_watches=524288',
    );
  if (instances < INSTANCES_MIN)
    return warn(
      `${instances} watchers for all your programs: ${slower}`,
      'sudo sysctl fs.inotify.max_user_instances=512',
    );
  return ok(`${watches} watches, ${instances} watchers`);
}

/** meshd uses no proxy, but other programs that ask a member may use one. */
export function checkProxy(variables: Readonly<Record<string, string | undefined>>): Finding {
  const { ok, warn } = about('proxy', 'Proxies');
  const set = PROXIES.find((name) => variables[name]);
  if (set === undefined) return ok('none in the environment');
  const spared = (variables['no_proxy'] || variables['NO_PROXY'] || '').split(',').map((one) => one.trim());
  if (spared.some((one) => one === '*' || one === '127.0.0.1' || one === '127.0.0.0/8'))
    return ok(`${set} is set, and spares 127.0.0.1`);
  return warn(
    `${set} is set and does not spare 127.0.0.1: meshd uses no proxy, but curl and others would send members' ` +
      'tokens through it',
    'export NO_PROXY=127.0.0.1,localhost',
  );
}
