import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { AnswerTrace } from '../../contract/answer-trace.js';
import {
  ANSWER_KINDS,
  type AnswerKind,
  type AskRecord,
  RATINGS,
  type RatingValue,
  type RequestDetail,
  type RequestList,
  type RequestRow,
} from '../../contract/asks.js';
import type { MemberTests, RequestTest } from '../../contract/member-tests.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { STATUSES, statusWord } from '../daemon/status-format.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readPages, toQuery } from '../pages.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { showRecordAnswer } from './ask.js';
import { showTrace } from './show-trace.js';
import { addRefused } from './usage.js';

const DEFAULT_ROWS = 50;

interface ListOptions {
  member?: string;
  status?: string;
  rating?: RatingValue;
  kind?: AnswerKind;
  q?: string;
  caller?: string;
  since?: string;
  limit: number;
  jsonl?: boolean;
}

const requestPath = (id: string) => `/requests/${encodeURIComponent(id)}`;

/** Argument parser for options that are a count. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

function row(request: RequestRow): string[] {
  const cited = request.citations_total > 0 ? `${request.citations_checked}/${request.citations_total} ✓` : '';
  const when = utcTime(request.created_at);
  return [request.request_id, when, request.member, statusWord(request), cited, request.question];
}

async function listRequests(terminal: Terminal, options: ListOptions & Common): Promise<void> {
  const { root, json, jsonl, limit, member, status, rating, kind, q, caller, since } = options;
  const { client } = await getDaemon(root);
  const { rows, next_cursor } = await readPages(limit, async (size, cursor) => {
    const query = toQuery({ limit: size, member, status, rating, kind, q, caller, since, cursor });
    const page = await client.get<RequestList>(`/requests?${query}`);
    return { rows: page.requests, next_cursor: page.next_cursor };
  });
  if (json) return terminal.object({ requests: rows, count: rows.length, next_cursor });
  if (jsonl) return rows.forEach((request) => void terminal.record(request));
  if (rows.length === 0) return terminal.note('No requests.');
  terminal.table(rows.map(row), ['REQUEST', 'ASKED (UTC)', 'MEMBER', 'STATUS', 'CITED', 'QUESTION']);
  if (next_cursor !== null) terminal.note(`There are more: --limit ${limit * 2}.`);
}

function addRequestLs(requests: Command, terminal: Terminal): void {
  requests
    .command('ls')
    .summary('list requests')
    .description('List requests, newest first.')
    .option('--member <id>', 'only of this member')
    .addOption(new Option('--status <status>', 'only with this status').choices(STATUSES))
    .addOption(new Option('--rating <rating>', 'only with this rating of yours').choices(RATINGS))
    .addOption(
      new Option('--kind <kind>', 'only with an answer of this kind; answered: by a model').choices(ANSWER_KINDS),
    )
    .option('--q <words>', 'only with these words in question or answer')
    .option('--caller <words>', 'only from programs that call themselves so')
    .option('--since <time>', 'only since this time, ISO 8601')
    .option('--limit <count>', 'at most this many', parseCount, DEFAULT_ROWS)
    .option('--jsonl', 'one JSON object a line')
    .addHelpText(
      'after',
      examples(
        'meshd requests ls --status error',
        'meshd requests ls --kind none',
        'meshd requests ls --member consultant --since 2026-11-01 --jsonl',
      ),
    )
    .action(action<ListOptions, []>(terminal, (options) => listRequests(terminal, options)));
}

async function showRequest(terminal: Terminal, { root, json }: Common, id: string): Promise<void> {
  const { client } = await getDaemon(root);
  const request = await client.get<RequestDetail>(requestPath(id));
  if (json) return terminal.object(request);
  terminal.table(
    [
      ['Request', request.request_id],
      ['Member', `${request.member} (${request.client}, ${request.model})`],
      ['Status', statusWord(request)],
      ['Asked', request.created_at],
      ['Ended', request.finished_at ?? ''],
      ['Rated', request.rating ? [request.rating.value, request.rating.note].filter(Boolean).join(': ') : ''],
      ['Why', request.error ? `${request.error.message} (${request.error.code})` : ''],
    ].filter(([, value]) => value !== ''),
  );
  terminal.answer(`\n${printable(request.text).replaceAll(/^/gm, '> ')}`);
  if (request.result_text === undefined) return;
  terminal.answer('');
  showRecordAnswer(terminal, request);
}

function addRequestShow(requests: Command, terminal: Terminal): void {
  requests
    .command('show')
    .summary('show one request with its answer')
    .description('Show one request: question, answer, citations, or why it failed.')
    .argument('<request>')
    .addHelpText(
      'after',
      examples(
        'meshd requests show req-0123456789abcdef',
        'meshd requests show req-0123456789abcdef --json | meshd verify -',
      ),
    )
    .action(action<object, [string]>(terminal, (options, id) => showRequest(terminal, options, id)));
}

function addRequestTrace(requests: Command, terminal: Terminal): void {
  requests
    .command('trace')
    .summary('show how an answer was found')
    .description(
      'Show how the built-in search found an answer: how each word was read, the candidates with what their scores are made of, why each was quoted or dropped, and how long each step took.',
    )
    .argument('<request>')
    .addHelpText(
      'after',
      examples('meshd requests trace req-0123456789abcdef', 'meshd requests trace req-0123456789abcdef --json'),
    )
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const trace = await client.get<AnswerTrace>(`${requestPath(id)}/trace`);
        if (json) terminal.object(trace);
        else showTrace(terminal, trace);
      }),
    );
}

function addRequestCancel(requests: Command, terminal: Terminal): void {
  requests
    .command('cancel')
    .summary('stop a request')
    .description('Stop a request that is queued or working.')
    .argument('<request>')
    .addHelpText('after', examples('meshd requests cancel req-0123456789abcdef'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const ended = await client.send<AskRecord>('DELETE', requestPath(id));
        if (json) terminal.object(ended);
        else terminal.answer(`${ended.request_id} ${statusWord(ended)}.`);
      }),
    );
}

interface RateOptions {
  note?: string;
}

function addRequestRate(requests: Command, terminal: Terminal): void {
  requests
    .command('rate')
    .summary('say what you think of an answer')
    .description('Keep what you think of an answer: up, down, or none to withdraw it. No other program sees it.')
    .argument('<request>')
    .addArgument(new Argument('<rating>', 'up, down or none').choices([...RATINGS, 'none']))
    .option('--note <words>', 'why, in your own words')
    .addHelpText(
      'after',
      examples(
        'meshd requests rate req-0123456789abcdef down --note "It quotes the wrong file."',
        'meshd requests ls --rating down',
      ),
    )
    .action(
      action<RateOptions, [string, RatingValue | 'none']>(terminal, async ({ root, json, note }, id, value) => {
        if (value === 'none' && note !== undefined)
          throw new CommandError(EXIT.usage, '--note belongs to a rating: leave it out with none.', 'bad_request');
        const { client } = await getDaemon(root);
        const rated =
          value === 'none'
            ? await client.send<RequestDetail>('DELETE', `${requestPath(id)}/rating`)
            : await client.send<RequestDetail>('PUT', `${requestPath(id)}/rating`, {
                body: { value, ...(note === undefined ? {} : { note }) },
              });
        if (json) terminal.object(rated);
        else
          terminal.answer(
            value === 'none' ? `${rated.request_id} is not rated.` : `${rated.request_id} rated ${value}.`,
          );
      }),
    );
}

interface TestOptions {
  cites?: string[];
}

function addRequestTest(requests: Command, terminal: Terminal): void {
  requests
    .command('test')
    .summary('make its question a test of the member')
    .description(
      'Add the question to the tests of the member in .mesh/asks: the answer must cite what this one cites, which you have rated as good, or the places that you name.',
    )
    .argument('<request>')
    .option('--cites <places...>', 'what the answer must cite: path, path:line or path:start-end')
    .addHelpText(
      'after',
      examples(
        'meshd requests test req-0123456789abcdef',
        'meshd requests test req-0123456789abcdef --cites src/retry.ts:40-72',
      ),
    )
    .action(
      action<TestOptions, [string]>(terminal, async ({ root, json, cites }, id) => {
        const { client } = await getDaemon(root);
        const tests = await client.send<MemberTests>('POST', `${requestPath(id)}/test`, {
          body: (cites === undefined ? {} : { cites }) satisfies RequestTest,
        });
        if (json) return terminal.object(tests);
        terminal.answer(
          `${tests.path} has ${tests.tests.length} ${tests.tests.length === 1 ? 'question' : 'questions'}.`,
        );
        terminal.note(`Run them with \`meshd team test ${tests.id}\`.`);
      }),
    );
}

export function addRequests(program: Command, terminal: Terminal): void {
  const requests = program
    .command('requests')
    .summary('what other programs have asked the members')
    .description('What other programs have asked the members.');

  addRequestLs(requests, terminal);
  addRefused(requests, terminal);
  addRequestShow(requests, terminal);
  addRequestTrace(requests, terminal);
  addRequestCancel(requests, terminal);
  addRequestRate(requests, terminal);
  addRequestTest(requests, terminal);
}
