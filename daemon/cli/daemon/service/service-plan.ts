import { basename } from 'node:path';
import { sha256Hex } from '../../../lib/crypto/digests.js';
import { CommandError, EXIT } from '../../exit-codes.js';

/** What a service runs. Every path is absolute, because a service manager searches for nothing. */
export interface ServicePlan {
  root: string;
  /** The Node.js executable. */
  node: string;
  /** The program file of the command line. */
  program: string;
  /**
   * The PATH on which the daemon finds other programs: those that run members are seldom on the PATH of a service
   * manager.
   */
  path: string | undefined;
  /** The user's XDG_STATE_HOME, if set. It must be the same as in the user's shell. */
  stateHome: string | undefined;
}

/**
 * The command of the service. It stays in the foreground, so that the service manager sees it end, and logs to stderr,
 * which the service manager captures.
 */
export const getServiceCommand = ({ node, program, root }: ServicePlan): readonly string[] => [
  node,
  program,
  'up',
  '--foreground',
  '--root',
  root,
];

/**
 * The environment variables written into the service file. Secrets are never included: API keys of providers have a
 * file of their own.
 */
export function getServiceEnvironment({ path, stateHome }: ServicePlan): readonly (readonly [string, string])[] {
  return Object.entries({ PATH: path, XDG_STATE_HOME: stateHome }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
}

/**
 * The service name of the project at `root`, such as `meshd-lamp-1f0c2a`. The hash of the path distinguishes projects
 * of the same name.
 */
export function serviceName(root: string): string {
  const slug = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return `meshd-${slug || 'project'}-${sha256Hex(root).slice(0, 6)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to reject.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Throws `bad_root` for a path that a service file cannot contain. */
export function requireNameable(plan: ServicePlan): void {
  const wrong = [...getServiceCommand(plan), ...getServiceEnvironment(plan).map(([, value]) => value)].find((word) =>
    CONTROL.test(word),
  );
  if (wrong === undefined) return;
  throw new CommandError(
    EXIT.usage,
    `A service file cannot hold ${JSON.stringify(wrong)}: it has a control character in it. Rename the folder.`,
    'bad_root',
  );
}
