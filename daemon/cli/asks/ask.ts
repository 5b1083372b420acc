import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { AskAccepted, AskBody, AskRecord } from '../../contract/asks.js';
import type { MemberDetail } from '../../contract/team.js';
import { action, examples } from '../action.js';
import { quoted } from '../daemon/doctor/check.js';
import { getDaemon } from '../daemon/project.js';
import { isOver, statusWord } from '../daemon/status-format.js';
import { CommandError, EXIT, exitOfAskError } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { askColleague, findPlaceHere } from '../network/ask-colleague.js';
import { readText } from '../standard-input.js';
import { memberPath, requireToken } from '../team/member.js';
import { printable, type Terminal } from '../terminal.js';
import { followRecord } from './follow-record.js';
import { noteDropped, showAnswer } from './show-answer.js';

const DEFAULT_WAIT_SECONDS = 120;

interface AskOptions {
  wait: number;
  session?: string;
}

/** Argument parser for options that are a duration in seconds. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds < 0)
    throw new InvalidArgumentError('It must be a number of seconds, 0 or more.');
  return seconds;
}

/** Prints the answer of a request, its citations and the number of dropped citations. */
export function showRecordAnswer(terminal: Terminal, record: AskRecord): void {
  const { result_text = '', citations = [] } = record;
  showAnswer(terminal, { ...record, text: result_text, citations });
  noteDropped(terminal, citations.filter(({ status }) => status === 'dropped').length);
}

function describe(record: AskRecord): string {
  const word = record.queue_position === undefined ? statusWord(record) : `queued, place ${record.queue_position}`;
  return record.progress ? `${word}: ${record.progress.stage}` : word;
}

const follow = (
  terminal: Terminal,
  client: HttpClient,
  { poll }: AskAccepted,
  token: string,
  waitSeconds: number,
): Promise<AskRecord> =>
  followRecord(terminal, {
    read: (hold, timeoutMs) => client.get(`${poll}?wait=${hold}`, { token, timeoutMs }),
    isOver: ({ status }) => isOver(status),
    ...{ describe, waitSeconds },
  });

/** Sets the exit status and reports on stderr the state of a request that has no answer. */
function judge(terminal: Terminal, record: AskRecord, waitSeconds: number): void {
  const { request_id, status, error } = record;
  if (status === 'done') return;
  if (status === 'error') {
    terminal.exit = exitOfAskError(error?.code);
    terminal.note(
      `${request_id} ${statusWord(record)}: ${printable(error?.message ?? 'no reason was given')} ` +
        `(${error?.code ?? 'unknown'})`,
    );
  } else if (status === 'needs_input') {
    terminal.exit = EXIT.needsPerson;
    terminal.note(
      `${request_id} needs your decision: answer it in the dashboard, then \`meshd requests show ${request_id}\`.`,
    );
  } else {
    terminal.exit = EXIT.deadline;
    terminal.note(
      `${request_id} is still ${statusWord(record)} after ${waitSeconds} s and goes on: \`meshd requests show ` +
        `${request_id}\`.`,
    );
  }
}

async function readQuestion(given: string): Promise<string> {
  const text = given === '-' ? (await readText('-')).trim() : given;
  if (text === '') throw new CommandError(EXIT.usage, 'The question is empty.', 'bad_request');
  return text;
}

export function addAsk(program: Command, terminal: Terminal): void {
  program
    .command('ask')
    .summary('ask an exposed member and wait for its answer')
    .description(
      'Ask an exposed member through the same API that other programs use, wait, and print the answer with its ' +
        'citations. A member of another daemon of the network is asked through it. The answer is printed as plain ' +
        'text; --json holds it as Markdown.',
    )
    .argument('<member>', 'or <project>/<member> of another running project of yours, or of a daemon of the network')
    .argument('<question>', 'the question; - reads stdin')
    .option('--wait <seconds>', 'how long to wait for the answer', parseSeconds, DEFAULT_WAIT_SECONDS)
    .option('--session <name>', 'continue the conversation of this name')
    .addHelpText(
      'after',
      examples(
        'meshd ask consultant "What does this project do?"',
        'meshd ask lamp/consultant "Where is the port chosen?"',
        'git diff | meshd ask commit-pr-reviewer - --wait 300',
        'meshd ask consultant "Where is the port chosen?" --json | meshd verify -',
      ),
    )
    .action(
      action<AskOptions, [string, string]>(terminal, async ({ root, json, wait, session }, ref, question) => {
        const place = await findPlaceHere(ref, root, terminal.environment.variables ?? {});
        const body: AskBody = { text: await readQuestion(question), ...(session === undefined ? {} : { session }) };
        if (!place) return askColleague(terminal, root, { to: ref, ...body }, wait);
        const { id } = place;
        const { client } = await getDaemon(place.root);
        const token = requireToken(await client.get<MemberDetail>(memberPath(id)));
        const headers = { 'idempotency-key': randomUUID() };
        const accepted = await client.send<AskAccepted>('POST', `${memberPath(id)}/ask`, { body, token, headers });
        const there = place.root === root ? '' : ` --root ${quoted(place.root)}`;
        const leave = () => {
          if (json)
            terminal.record({ error: 'interrupted', message: 'The request goes on.', request_id: accepted.request_id });
          terminal.note(
            `\nThe request goes on: ${accepted.request_id} (\`meshd requests show ` +
              `${accepted.request_id}${there}\`, \`meshd requests cancel ${accepted.request_id}${there}\`).`,
          );
          process.exit(EXIT.interrupted);
        };
        process.once('SIGINT', leave);
        try {
          const record = await follow(terminal, client, accepted, token, wait);
          if (json) terminal.object(record);
          else if (record.status === 'done') showRecordAnswer(terminal, record);
          judge(terminal, record, wait);
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          terminal.note(`The request was accepted as ${accepted.request_id}.`);
          const { exit, message, code, details } = error;
          throw new CommandError(exit, message, code, { ...details, request_id: accepted.request_id });
        } finally {
          process.off('SIGINT', leave);
        }
      }),
    );
}
