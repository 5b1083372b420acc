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

interface Look {
  query: CodeQuery;
  summary: string;
  argument: readonly [name: string, meaning: string];
  description: string;
  example: string;
  /** What there is none of, when there is none. */
  what: string;
}

const LOOKS: readonly Look[] = [
  {
    query: 'defs',
    summary: 'where a name is defined',
    argument: ['<name>', 'a name in the code, also qualified: `Class.method`, `a::b`'],
    description: 'List the definitions of a name with their signatures.',
    example: 'meshd code defs createServer',
    what: 'definition',
  },
  {
    query: 'refs',
    summary: 'where a name is used',
    argument: ['<name>', 'a name in the code, also qualified: `Class.method`, `a::b`'],
    description: 'List the places that call, read, extend or implement what a name names, or use it as a type.',
    example: 'meshd code refs Server.close',
    what: 'use',
  },
  {
    query: 'imports',
    summary: 'which files import a file or a package',
    argument: ['<file>', 'a path of the project or the end of one, or a package'],
    description: 'List the imports of a file, named by its path or the end of it, or of a package.',
    example: 'meshd code imports lib/parser.ts',
    what: 'import',
  },
  {
    query: 'env',
    summary: 'which environment variables are read',
    argument: ['[name]', 'one variable (default: all)'],
    description: 'List the reads of environment variables with their defaults, or those of one variable.',
    example: 'meshd code env PORT',
    what: 'read of an environment variable',
  },
  {
    query: 'routes',
    summary: 'which routes are served',
    argument: ['[path]', 'a part of the path (default: all)'],
    description: 'List the routes that the code serves with their handlers, or those whose path contains a text.',
    example: 'meshd code routes /users',
    what: 'route',
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
function explainNothing(terminal: Terminal, { query, what }: Look, name: string | undefined, found: CodePlaces): void {
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
  const none = {
    defs: 'no definition of',
    refs: 'no definition or use of',
    imports: 'no file or package',
    env: 'no read of an environment variable',
    routes: 'no route with',
  }[query];
  throw new CommandError(EXIT.notFound, printable(`The code has ${none} ${name}.${near}`), 'not_found');
}

/** Returns the line of a place: where it is, what stands there, and what is around it. */
function formatPlace(terminal: Terminal, query: CodeQuery, { path, start_line, text, container }: CodePlace): string {
  const word = { defs: 'in', refs: 'in', imports: '', env: 'default', routes: '→' }[query];
  const around = container === '' || word === '' ? '' : terminal.colours.dim(`  ${word} ${container}`);
  return `${path}:${start_line}  ${text.replaceAll(/\s+/g, ' ')}${around}`;
}

export function addCode(program: Command, terminal: Terminal): void {
  const code = program
    .command('code')
    .summary('definitions, uses, imports, environment variables and routes in the code')
    .description(
      'Look up the structure of the project’s code: where names are defined and used, which files import a file, and which environment variables and routes there are. Paths and lines come first, tests and third-party code last.',
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
          for (const place of found.places) terminal.answer(printable(formatPlace(terminal, look.query, place)));
          if (found.total > found.places.length)
            terminal.note(`The first ${found.places.length} of ${found.total} places in ${found.files} files.`);
          if (found.by_name) terminal.note('Some are found by name only and may mean another of the same name.');
        }),
      );
  }
}
