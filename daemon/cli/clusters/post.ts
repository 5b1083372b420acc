import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Post, PostAnswer, PostCreated, PostList, Ttl } from '../../contract/boards.js';
import { action, type Common, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readPages, toQuery } from '../pages.js';
import { readAll } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { BOARD_HELP, CLUSTER_HELP, ClusterCalls, clusterPath, parseHandle } from './cluster-calls.js';
import { addPlaceOptions, formatPlace, type PlaceOptions, parseRules } from './rules-options.js';

const TTLS: readonly Ttl[] = ['24h', '7d', '30d', '1y', 'forever'];
const DEFAULT_ROWS = 50;

interface PostOptions extends PlaceOptions {
  as: string;
  body: string;
  ttl: Ttl;
  fileUrl?: string;
  fileType?: string;
  adult?: boolean;
}

interface ListOptions {
  near?: string;
  km?: string;
  lang?: string;
  adult?: boolean;
  limit: number;
  jsonl?: boolean;
}

const time = (seconds: number) => utcTime(seconds).slice(0, 16);

/** Prints posts as a table, with their distance where a search by place was made. */
export function postRows(terminal: Terminal, posts: readonly Post[]): void {
  const isNear = posts.some(({ distance_km }) => distance_km !== undefined);
  terminal.table(
    posts.map(({ id, created_at, expires_at, author, distance_km, props, title }) => [
      id,
      time(created_at),
      expires_at === null ? 'never' : time(expires_at),
      author,
      ...(isNear ? [distance_km === undefined ? '' : `${distance_km.toFixed(1)} km`] : []),
      formatPlace(props?.where),
      title,
    ]),
    ['POST', 'PINNED (UTC)', 'EXPIRES (UTC)', 'BY', ...(isNear ? ['AWAY'] : []), 'WHERE', 'TITLE'],
  );
}

function showPost(terminal: Terminal, { id, title, body, author, created_at, expires_at, file, props }: Post): void {
  terminal.table(
    [
      ['Post', id],
      ['Title', title],
      ['By', author],
      ['Pinned (UTC)', time(created_at)],
      ['Expires (UTC)', expires_at === null ? 'never' : time(expires_at)],
      ['Where', formatPlace(props?.where)],
      ['Language', props?.lang ?? ''],
      ['File', file === null ? '' : `${file.url} (${file.mime})`],
    ].filter(([, value]) => value !== ''),
  );
  if (body !== '') terminal.answer(`\n${printable(body)}`);
}

function getFile({ fileUrl, fileType }: PostOptions): { url: string; mime: string } | undefined {
  if (fileUrl === undefined && fileType === undefined) return undefined;
  if (fileUrl !== undefined && fileType !== undefined) return { url: fileUrl, mime: fileType };
  throw new CommandError(EXIT.usage, 'A file is named by both --file-url and --file-type.', 'bad_request');
}

async function pinPost(
  terminal: Terminal,
  options: PostOptions & Common,
  ref: string,
  board: string,
  title: string,
): Promise<void> {
  const { root, json, as, body, ttl, adult } = options;
  const file = getFile(options);
  const props = parseRules({
    ...(options.where !== undefined && { where: options.where }),
    ...(options.lang !== undefined && { lang: options.lang }),
  });
  const text = body === '-' ? (await readAll(terminal.stdin)).trimEnd() : body;
  const calls = await ClusterCalls.open(root, terminal, ref);
  const query = new URLSearchParams({ agent: as, ...(adult && { adult: '1' }) });
  const path = `${clusterPath(calls.id, 'boards', board, 'posts')}?${query}`;
  const sent = { title, body: text, ttl, ...(file && { file }), ...(props && { props }) };
  const created = await calls.send<PostCreated>('POST', path, {
    body: sent,
    headers: { 'idempotency-key': randomUUID() },
  });
  if (json) terminal.object(created);
  else terminal.answer(`Pinned ${created.id}.`);
}

function addPostNew(post: Command, terminal: Terminal): void {
  addPlaceOptions(post.command('new'))
    .summary('pin a post')
    .description(
      'Pin a post to a board, for seven days unless --ttl says otherwise. A place and a language that are not ' +
        'set are the board’s.',
    )
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .argument('<title>', 'its title')
    .requiredOption('--as <handle>', 'your handle', parseHandle)
    .option('--body <text>', 'the text; - reads stdin', '')
    .addOption(new Option('--ttl <time>', 'how long it stays').choices(TTLS).default('7d'))
    .option('--file-url <url>', 'a file elsewhere that goes with it')
    .option('--file-type <mime>', 'its type, such as image/png')
    .option('--adult', 'the person you act for is an adult')
    .addHelpText(
      'after',
      examples(
        'meshd post new town flats "Room to let" --as ada --body - --ttl 30d < room.txt',
        'meshd post new town events "Concert" --as ada --where "52.52,13.405,Berlin"',
      ),
    )
    .action(
      action<PostOptions, [string, string, string]>(terminal, (options, ref, board, title) =>
        pinPost(terminal, options, ref, board, title),
      ),
    );
}

async function listPosts(
  terminal: Terminal,
  { root, json, jsonl, limit, near, km, lang, adult }: ListOptions & Common,
  ref: string,
  board: string,
): Promise<void> {
  const calls = await ClusterCalls.open(root, terminal, ref);
  const path = clusterPath(calls.id, 'boards', board, 'posts');
  const { rows: posts, next_cursor } = await readPages(limit, async (size, cursor) => {
    const query = toQuery({ limit: size, near, km, lang, adult: adult ? '1' : undefined, cursor });
    const page = await calls.get<PostList>(`${path}?${query}`);
    return { rows: page.posts, next_cursor: page.next_cursor };
  });
  if (json) return terminal.object({ posts, count: posts.length, next_cursor });
  if (jsonl) return posts.forEach((one) => void terminal.record(one));
  if (posts.length === 0) return terminal.note('No posts.');
  postRows(terminal, posts);
  if (next_cursor !== null) terminal.note(`There are more: --limit ${limit * 2}.`);
}

function addPostLs(post: Command, terminal: Terminal): void {
  post
    .command('ls')
    .summary('list the live posts of a board')
    .description('List the live posts of a board, newest first.')
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .option('--near <point>', 'only around <lat>,<lon>, in degrees')
    .option('--km <radius>', 'how far around, in kilometres (default: 50)')
    .option('--lang <code>', 'only in this language')
    .option('--adult', 'the person you act for is an adult')
    .option('--limit <count>', 'at most this many', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText(
      'after',
      examples('meshd post ls town flats', 'meshd post ls town flats --near 52.52,13.405 --km 10 --lang de --jsonl'),
    )
    .action(
      action<ListOptions, [string, string]>(terminal, (options, ref, board) =>
        listPosts(terminal, options, ref, board),
      ),
    );
}

function addPostShow(post: Command, terminal: Terminal): void {
  post
    .command('show')
    .summary('show one post')
    .description('Show one post.')
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .argument('<post>', 'its id')
    .option('--adult', 'the person you act for is an adult')
    .addHelpText('after', examples('meshd post show town flats p_0123456789abcdef'))
    .action(
      action<{ adult?: boolean }, [string, string, string]>(terminal, async ({ root, json, adult }, ref, board, id) => {
        const calls = await ClusterCalls.open(root, terminal, ref);
        const path = `${clusterPath(calls.id, 'boards', board, 'posts', id)}${adult ? '?adult=1' : ''}`;
        const { post: found } = await calls.get<PostAnswer>(path);
        if (json) terminal.object(found);
        else showPost(terminal, found);
      }),
    );
}

function addPostRm(post: Command, terminal: Terminal): void {
  post
    .command('rm')
    .summary('delete a post')
    .description('Delete a post: your own, named by your handle, or anybody’s with the admin token.')
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<board>', BOARD_HELP)
    .argument('<post>', 'its id')
    .option('--as <handle>', 'the handle that pinned it', parseHandle)
    .addHelpText('after', examples('meshd post rm town flats p_0123456789abcdef --as ada'))
    .action(
      action<{ as?: string }, [string, string, string]>(terminal, async ({ root, json, as }, ref, board, id) => {
        const calls = await ClusterCalls.open(root, terminal, ref);
        const query = as === undefined ? '' : `?${new URLSearchParams({ agent: as })}`;
        await calls.sendAsOwner('DELETE', `${clusterPath(calls.id, 'boards', board, 'posts', id)}${query}`);
        if (json) terminal.object({ post: id, deleted: true });
        else terminal.answer(`Deleted ${printable(id)}.`);
      }),
    );
}

export function addPost(program: Command, terminal: Terminal): void {
  const post = program
    .command('post')
    .summary('posts on the boards of a cluster')
    .description('Posts on the boards of a cluster.');

  addPostNew(post, terminal);
  addPostLs(post, terminal);
  addPostShow(post, terminal);
  addPostRm(post, terminal);
}
