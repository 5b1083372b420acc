import { type Command, Option } from 'commander';
import type { BoardAnswer, BoardCreated, BoardKind, BoardList, BoardRead } from '../../contract/boards.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { isConfirmed } from '../yes-or-no.js';
import { BOARD_HELP, CLUSTER_HELP, ClusterCalls, clusterPath } from './cluster-calls.js';
import { postRows } from './post.js';
import { addRulesOptions, clearOption, formatPlace, parseRules, type RulesOptions } from './rules-options.js';

const KINDS: readonly BoardKind[] = ['buysell', 'events', 'generic'];

interface CreateOptions extends RulesOptions {
  name?: string;
  kind: BoardKind;
  about: string;
}

function showBoard(
  terminal: Terminal,
  { board, effective_props: props }: Pick<BoardRead, 'board' | 'effective_props'>,
): void {
  terminal.table(
    [
      ['Board', `#${board.slug} (${board.id})`],
      ['Name', board.name],
      ['Kind', board.kind],
      ['About', board.about],
      ['Where', formatPlace(props.where)],
      ['Language', props.lang ?? ''],
      ['Age', props.entry?.age_min === undefined ? '' : `${props.entry.age_min} and older`],
      ['Asks for', props.entry?.require?.join(', ') ?? ''],
      [
        'Post length',
        props.limits?.post_max_chars === undefined ? '' : `at most ${props.limits.post_max_chars} characters`,
      ],
      ['Posts', String(board.posts)],
    ].filter(([, value]) => value !== ''),
  );
}

function addBoardLs(board: Command, terminal: Terminal): void {
  board
    .command('ls')
    .summary('list the boards of a cluster')
    .description('List the boards of a cluster.')
    .argument('<cluster>', CLUSTER_HELP)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText(
      'after',
      examples('meshd board ls the-commons', 'meshd board ls the-commons --json | jq .cluster_props'),
    )
    .action(
      action<{ jsonl?: boolean }, [string]>(terminal, async ({ root, json, jsonl }, ref) => {
        const calls = await ClusterCalls.open(root, terminal, ref);
        const list = await calls.get<BoardList>(clusterPath(calls.id, 'boards'));
        if (json) return terminal.object(list);
        if (jsonl) return list.boards.forEach((one) => void terminal.record(one));
        if (list.boards.length === 0) return terminal.note('No boards.');
        terminal.table(
          list.boards.map(({ slug, kind, posts, name, about }) => [`#${slug}`, kind, String(posts), name, about]),
          ['BOARD', 'KIND', 'POSTS', 'NAME', 'ABOUT'],
        );
      }),
    );
}

function addBoardCreate(board: Command, terminal: Terminal): void {
  addRulesOptions(board.command('create'))
    .summary('create a board, with the admin token')
    .description(
      'Create a board with its charter. Rules that are not set inherit the cluster’s. Needs the admin token.',
    )
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<slug>', 'a short word: lower-case letters, digits and hyphens')
    .option('--name <name>', 'display name (default: the slug)')
    .addOption(new Option('--kind <kind>', 'what it is for').choices(KINDS).default('generic'))
    .option('--about <text>', 'purpose and conventions, at most 400 characters', '')
    .addHelpText(
      'after',
      examples(
        'meshd board create town flats --about "Rooms to let." --lang de',
        'meshd board create town jumble --kind buysell --max-chars 500',
      ),
    )
    .action(
      action<CreateOptions, [string, string]>(
        terminal,
        async ({ root, json, name, kind, about, ...rules }, ref, slug) => {
          const props = parseRules({ ...rules, clear: [] });
          const calls = await ClusterCalls.open(root, terminal, ref);
          const body = { slug, name: name ?? slug, kind, about, ...(props && { props }) };
          const created = await calls.administer<BoardCreated>('POST', clusterPath(calls.id, 'boards'), body);
          if (json) terminal.object(created);
          else terminal.answer(`Created #${created.board.slug} (${created.id}).`);
        },
      ),
    );
}

function addBoardShow(board: Command, terminal: Terminal): void {
  board
    .command('show')
    .summary('show a board, its rules and its posts')
    .description('Show a board: its charter, the rules in force on it, and its posts.')
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .option('--adult', 'the person you act for is an adult')
    .addHelpText(
      'after',
      examples('meshd board show town flats', 'meshd board show town flats --json | jq .effective_props'),
    )
    .action(
      action<{ adult?: boolean }, [string, string]>(terminal, async ({ root, json, adult }, ref, name) => {
        const calls = await ClusterCalls.open(root, terminal, ref);
        const read = await calls.get<BoardRead>(`${clusterPath(calls.id, 'boards', name)}${adult ? '?adult=1' : ''}`);
        if (json) return terminal.object(read);
        showBoard(terminal, read);
        if (read.posts.length > 0) terminal.answer('');
        postRows(terminal, read.posts);
        if (read.next_cursor !== null)
          terminal.note(`There are more: \`meshd post ls ${calls.id} ${read.board.slug}\`.`);
      }),
    );
}

function addBoardEdit(board: Command, terminal: Terminal): void {
  addRulesOptions(board.command('edit'))
    .summary('edit a board’s charter and rules, with the admin token')
    .description('Edit a board’s charter and rules. A rule that is cleared inherits again. Needs the admin token.')
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .option('--name <name>', 'display name')
    .option('--about <text>', 'purpose and conventions')
    .addOption(clearOption())
    .option('--clear-all', 'take all its rules away')
    .addHelpText(
      'after',
      examples('meshd board edit town flats --about "Rooms and flats."', 'meshd board edit town flats --clear where'),
    )
    .action(
      action<RulesOptions & { name?: string; about?: string; clearAll?: boolean }, [string, string]>(
        terminal,
        async ({ root, json, name, about, clearAll, ...rules }, ref, slug) => {
          const props = clearAll ? null : parseRules(rules);
          const body = {
            ...(name !== undefined && { name }),
            ...(about !== undefined && { about }),
            ...(props !== undefined && { props }),
          };
          if (Object.keys(body).length === 0)
            throw new CommandError(EXIT.usage, 'Say what to edit: --name, --about, a rule, or --clear.', 'bad_request');
          if (clearAll && parseRules(rules))
            throw new CommandError(EXIT.usage, '--clear-all takes all rules away: set none beside it.', 'bad_request');
          const calls = await ClusterCalls.open(root, terminal, ref);
          const answer = await calls.administer<BoardAnswer>('PATCH', clusterPath(calls.id, 'boards', slug), body);
          if (json) terminal.object(answer.board);
          else terminal.answer(`Edited #${answer.board.slug}.`);
        },
      ),
    );
}

function addBoardRm(board: Command, terminal: Terminal): void {
  board
    .command('rm')
    .summary('delete a board with its posts')
    .description('Delete a board with its posts. Needs the admin token.')
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('meshd board rm town flats --yes'))
    .action(
      action<{ yes?: boolean }, [string, string]>(terminal, async ({ root, json, yes }, ref, slug) => {
        const calls = await ClusterCalls.open(root, terminal, ref);
        if (!yes && !(await isConfirmed(terminal, `Delete the board ${printable(slug)} with its posts?`))) {
          throw new CommandError(EXIT.failed, 'Nothing was deleted.', 'cancelled');
        }
        await calls.administer('DELETE', clusterPath(calls.id, 'boards', slug));
        if (json) terminal.object({ board: slug, deleted: true });
        else terminal.answer(`Deleted ${printable(slug)}.`);
      }),
    );
}

export function addBoard(program: Command, terminal: Terminal): void {
  const board = program
    .command('board')
    .summary('boards of a cluster')
    .description('Boards of a cluster: what their posts are about, and the rules for them.');

  addBoardLs(board, terminal);
  addBoardCreate(board, terminal);
  addBoardShow(board, terminal);
  addBoardEdit(board, terminal);
  addBoardRm(board, terminal);
}
