import { type Command, InvalidArgumentError } from 'commander';
import { ApiError } from '../../client/api-error.js';
import type { Daemon } from '../../client/daemon.js';
import { events } from '../../client/events.js';
import type { EventFrame } from '../../contract/events.js';
import { OPERATOR_HEADER, operatorProof } from '../../lib/crypto/daemon-proof.js';
import { action, type Common, examples } from '../action.js';
import { parseCount } from '../asks/requests.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTimeOfDay } from '../utc-time.js';
import { callLine } from './conversation-format.js';
import { EVENT_TYPES } from './event-types.js';

/** Failed connections in a row before the daemon counts as gone: about a minute. */
const ATTEMPTS = 9;
const TEXT_MAX_CHARS = 100;

interface EventsOptions {
  type?: string[];
  since?: number;
  conv?: string;
  count?: number;
  jsonl?: boolean;
}

type Frame = Exclude<EventFrame, { type: 'heartbeat' }>;

const matches = (type: string, word: string) => type === word || type.startsWith(`${word}.`);

function parseTypes(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const all: string[] = ['hello', ...EVENT_TYPES];
  const unknown = words.find((word) => !all.some((type) => matches(type, word)));
  if (unknown === undefined) return words;
  throw new InvalidArgumentError(`There is no event "${unknown}": it is one of ${all.join(', ')}, or a first part.`);
}

function parseSequence(text: string): number {
  const seq = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seq)) return seq;
  throw new InvalidArgumentError('It must be the "seq" of an event: a whole number.');
}

/** A daemon that is found anew, and proves its identity, before each connection. */
async function reachDaemon(root: string): Promise<Daemon> {
  // Fails at once when none runs.
  await getDaemon(root);
  const { WebSocket } = await import('ws');
  const headers: Record<string, string> = {};
  const address = async () => {
    const { file } = await getDaemon(root);
    headers[OPERATOR_HEADER] = operatorProof(file.secret);
    return file.address;
  };
  return { address, headers, WebSocket };
}

/** The frame as it is written for programs: of `hello`, what says where the stream begins. */
function toRecord(frame: Frame): object {
  if (frame.type !== 'hello') return frame;
  const { type, seq, ts, version, project } = frame;
  return { type, seq, ts, version, project };
}

const oneLine = (text: string) => printable(text).replaceAll(/\s+/g, ' ').slice(0, TEXT_MAX_CHARS);

function describeField(name: string, value: unknown): string {
  if (typeof value === 'string') return `${name}=${oneLine(value)}`;
  if (typeof value !== 'object' || value === null) return `${name}=${String(value)}`;
  const { role, text, name: tool, target, state, pid, tool: asked, decision } = value as Record<string, string>;
  if (name === 'message') return `${role}: ${oneLine(text ?? '')}`;
  if (name === 'call') return `${oneLine(callLine({ name: tool ?? '', target: target ?? '' }))} (${state})`;
  if (name === 'permission')
    return `${pid} ${oneLine(callLine({ name: asked ?? '', target: target ?? '' }))} (${decision ?? 'waits'})`;
  return '';
}

function formatFrame(terminal: Terminal, frame: Frame): string {
  const { type, seq: _, ts, ...fields } = toRecord(frame) as { type: string; seq: number; ts: number };
  const { dim, bold } = terminal.colours;
  const parts = Object.entries(fields).map(([name, value]) => describeField(name, value));
  return [dim(utcTimeOfDay(ts)), bold(type), ...parts.filter(Boolean)].join(' ');
}

async function follow(
  terminal: Terminal,
  { root, json, jsonl, type, since, conv, count }: EventsOptions & Common,
): Promise<void> {
  const isWanted = (frame: Frame) =>
    (type === undefined || type.some((word) => matches(frame.type, word))) &&
    (conv === undefined || frame.type === 'hello' || ('conv' in frame && frame.conv === conv));
  let shown = 0;
  let mayMiss = since !== undefined;
  const stream = events(await reachDaemon(root), { attempts: ATTEMPTS, ...(since !== undefined && { since }) });
  for await (const frame of stream) {
    if (frame.type === 'hello' && mayMiss) terminal.note('The daemon does not hold the events in between.');
    mayMiss = true;
    if (!isWanted(frame)) continue;
    if (json || jsonl) terminal.record(toRecord(frame));
    else terminal.answer(formatFrame(terminal, frame));
    // A slow reader holds up this loop, and the daemon keeps the events for it.
    await terminal.drained();
    if (frame.type !== 'hello') shown += 1;
    if (shown === count) return;
  }
}

export function addEvents(program: Command, terminal: Terminal): void {
  program
    .command('events')
    .summary('follow the events of the daemon')
    .description(
      'Print the events of the daemon as they happen, until Ctrl-C; with --json or --jsonl one JSON object a line. ' +
        'A "hello" comes first, and again where events are missing. A daemon that restarts is found again; one that ' +
        'is gone for a minute ends the command.',
    )
    .option('--type <types>', 'only these, with commas: a type (turn.ended) or its first part (turn)', parseTypes)
    .option('--conv <conversation>', 'only those of this conversation')
    .option('--since <seq>', 'continue after the event of this number', parseSequence)
    .option('--count <events>', 'stop after this many events', parseCount)
    .option('--jsonl', 'one JSON object a line, as --json')
    .addHelpText(
      'after',
      examples(
        'meshd events --type turn.permission,turn.ended',
        "meshd events --json --type team.request.done --count 1 | jq -r '.request_id'",
      ),
    )
    .action(
      action<EventsOptions, []>(terminal, async (options) => {
        try {
          await follow(terminal, options);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          throw new CommandError(EXIT.unreachable, error.message, 'unreachable');
        }
      }),
    );
}
