import { basename } from 'node:path';
import { sha256Hex } from '../../lib/digests.js';
import { CommandFailure, EXIT } from '../exit-codes.js';

/** What a service is to run: every path is absolute, since a service manager looks for nothing. */
export interface ServicePlan {
  root: string;
  /** Node.js itself. */
  node: string;
  /** The command line's own program. */
  program: string;
  /** What the daemon finds other programs with: those that run members are seldom on a service manager's own path. */
  path: string | undefined;
  /** The folder for state of whoever moved it; it must be the one that their shell knows. */
  stateHome: string | undefined;
}

/** What the service runs. It stays, so that its manager sees it end, and logs to stderr, where its manager listens. */
export const commandOf = ({ node, program, root }: ServicePlan): readonly string[] => [
  node,
  program,
  'up',
  '--foreground',
  '--root',
  root,
];

/** The environment that is written down for the service. Secrets never are: keys of providers have a file of their own. */
export function environmentOf({ path, stateHome }: ServicePlan): readonly (readonly [string, string])[] {
  return Object.entries({ PATH: path, XDG_STATE_HOME: stateHome }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
}

/** `meshd-lamp-1f0c2a`: what the project at `root` is called among services. Two projects of the same name differ in their place. */
export function serviceName(root: string): string {
  const slug = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return `meshd-${slug || 'project'}-${sha256Hex(root).slice(0, 6)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Refuses with `bad_root` a path that no service file can hold. */
export function requireNameable(plan: ServicePlan): void {
  const wrong = [...commandOf(plan), ...environmentOf(plan).map(([, value]) => value)].find((word) =>
    CONTROL.test(word),
  );
  if (wrong === undefined) return;
  throw new CommandFailure(
    EXIT.usage,
    `A service file cannot hold ${JSON.stringify(wrong)}: it has a control character in it. Rename the folder.`,
    'bad_root',
  );
}
