import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CodePlace, CodePlaces, CodeQuery } from '../../contract/code.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { printable, type Terminal } from '../terminal.js';

/** How long a look waits for the structure of a project that is read for the first time. */
const WAIT_MS = 120_000;
const PAUSE_MS = 250;

interface CodeSubcommand {
  query: CodeQuery;
  summary: string;
  argument: readonly [name: string, meaning: string];
  description: string;
  example: string;
  /** What a known name may have none of. */
  what: string;
  /** What an unknown name is. */
  none: string;
  /** What is said before the names around a place; without it, they are left out. */
  around?: string;
}

const NAME = ['<name>', 'a name in the code, also qualified: `Class.method`, `a::b`'] as const;

const LOOKS: readonly CodeSubcommand[] = [
  {
    query: 'defs',
    summary: 'where a name is defined',
    argument: NAME,
    description: 'List the definitions of a name with their signatures.',
    example: 'meshd code defs createServer',
    what: 'definition',
    none: 'no definition of',
    around: 'in',
  },
  {
    query: 'refs',
    summary: 'where a name is used',
    argument: NAME,
    description: 'List the places that call, read, extend or implement what a name names, or use it as a type.',
    example: 'meshd code refs Server.close',
    what: 'use',
    none: 'no definition or use of',
    around: 'in',
  },
  {
    query: 'imports',
    summary: 'which files import a file or a package',
    argument: ['<file>', 'a path of the project or the end of one, or a package'],
    description: 'List the imports of a file, named by its path or the end of it, or of a package.',
    example: 'meshd code imports lib/parser.ts',
    what: 'import',
    none: 'no file or package',
  },
  {
    query: 'env',
    summary: 'which environment variables are read',
    argument: ['[name]', 'one variable (default: all)'],
    description: 'List the reads of environment variables with their defaults, or those of one variable.',
    example: 'meshd code env PORT',
    what: 'read of an environment variable',
    none: 'no read of an environment variable',
    around: 'default',
  },
  {
    query: 'routes',
    summary: 'which routes are served',
    argument: ['[path]', 'a part of the path (default: all)'],
    description: 'List the routes that the code serves with their handlers, or those whose path contains a text.',
    example: 'meshd code routes /users',
    what: 'route',
    none: 'no route with',
    around: '→',
  },
];

/** Looks up, and waits while the structure is still being read. */
async function find(
  terminal: Terminal,
  client: HttpClient,
  query: CodeQuery,
  name: string | undefined,
): Promise<CodePlaces> {
  const search = new URLSearchParams({ query, ...(name === undefined ? {} : { name }) });
  const deadline = performance.now() + WAIT_MS;
  for (let isSaid = false; ; isSaid = true) {
    const found = await client.get<CodePlaces>(`/project/code?${search}`);
    if (found.state !== 'building' || performance.now() > deadline) return found;
    if (!isSaid) terminal.note(terminal.colours.dim('Reading the structure of the project …'));
    await pause(PAUSE_MS);
  }
}

/** Explains why there is nothing to list. Throws unless the name is known and has no places. */
function explainNothing(
  terminal: Terminal,
  { what, none }: CodeSubcommand,
  name: string | undefined,
  found: CodePlaces,
): void {
  if (found.state === 'building')
    throw new CommandError(
      EXIT.deadline,
      'The structure of the project is still being read after two minutes: try again later.',
      'deadline',
    );
  if (found.state === 'failed')
    throw new CommandError(
      EXIT.failed,
      'The structure of the project could not be read: see `meshd doctor`.',
      'internal',
    );
  if (found.is_known) {
    terminal.note(`No ${what}${name === undefined ? '' : ` of ${name}`} in this project.`);
    return;
  }
  const near = found.near.length > 0 ? ` Near it: ${found.near.join(', ')}.` : '';
  throw new CommandError(EXIT.notFound, printable(`The code has ${none} ${name}.${near}`), 'not_found');
}

/** Returns the line of a place: its position, its text, and what contains it. */
function formatPlace(
  terminal: Terminal,
  { around }: CodeSubcommand,
  { path, start_line, text, container }: CodePlace,
): string {
  const words = container === '' || around === undefined ? '' : terminal.colours.dim(`  ${around} ${container}`);
  return `${path}:${start_line}  ${text.replaceAll(/\s+/g, ' ')}${words}`;
}

export function addCode(program: Command, terminal: Terminal): void {
  const code = program
    .command('code')
    .summary('definitions, uses, imports, environment variables and routes in the code')
    .description(
      'Look up the structure of the project’s code: where names are defined and used, which files import a ' +
        'file, and which environment variables and routes there are. Paths and lines come first, tests and ' +
        'third-party code last.',
    );
  for (const look of LOOKS) {
    code
      .command(look.query)
      .summary(look.summary)
      .description(look.description)
      .argument(...look.argument)
      .addHelpText('after', examples(look.example, `${look.example} --json`))
      .action(
        action<object, [string | undefined]>(terminal, async ({ root, json }, name) => {
          const { client } = await getDaemon(root);
          const found = await find(terminal, client, look.query, name);
          if (found.total === 0) explainNothing(terminal, look, name, found);
          if (json) return terminal.object(found);
          for (const place of found.places) terminal.answer(printable(formatPlace(terminal, look, place)));
          if (found.total > found.places.length)
            terminal.note(`The first ${found.places.length} of ${found.total} places in ${found.files} files.`);
          if (found.by_name) terminal.note('Some are found by name only and may mean another of the same name.');
        }),
      );
  }
}
