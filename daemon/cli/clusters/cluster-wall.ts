import { type Command, Option } from 'commander';
import { type Media, parsePayload } from '../../client/wall-messages/wall-payload.js';
import type { Vis, WallFrame } from '../../contract/wall.js';
import { formatBytes } from '../../lib/text/format-bytes.js';
import { action, examples } from '../action.js';
import { collect } from '../agents/agent.js';
import { parseCount } from '../asks/requests.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readAll } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';
import { utcTimeOfDay } from '../utc-time.js';
import { CLUSTER_HELP, ClusterCalls, parseHandle } from './cluster-calls.js';
import { WallLine } from './wall-line.js';
import { WatchedStreams } from './watched-streams.js';

const VISIBILITIES: readonly Vis[] = ['public', 'private', 'ghost'];

interface WatchOptions {
  as: string;
  vis: Vis;
  count?: number;
  jsonl?: boolean;
  raw?: boolean;
}

interface SayOptions {
  as: string;
  vis: Vis;
  to: string[];
}

const oneLine = (text: string) => printable(text).replaceAll(/(?<!\s)\s*\n\s*/g, ' ⏎ ');

/** A file of a message: its name, type, size (when it is part of the message) or address. */
function formatMedia(file: Media): string {
  const { mime, name } = file;
  const place = 'url' in file ? file.url : formatBytes(Math.floor((file.b64.replace(/={1,2}$/, '').length * 3) / 4));
  return `[${[name, mime, place].filter((part) => part !== undefined).join(', ')}]`;
}

/** The displayed text of a payload. */
function formatPayload(payload: unknown): string {
  const { text, media, data } = parsePayload(payload);
  const rest = data === undefined ? [] : [JSON.stringify(JSON.parse(data))];
  return [text, ...media.map(formatMedia), ...rest].filter((part) => part !== '').join(' ');
}

/** Formats a frame as one line; undefined for frames that are not displayed. */
function formatFrame(terminal: Terminal, frame: WallFrame): string | undefined {
  const { dim, bold } = terminal.colours;
  switch (frame.kind) {
    case 'ready': {
      const others = frame.online.map(printable);
      return dim(others.length === 0 ? 'Nobody is here.' : `Here: ${others.join(', ')}.`);
    }
    case 'presence':
      return dim(`${printable(frame.agent)} ${frame.status === 'online' ? 'came' : 'left'}.`);
    case 'message': {
      const about = [frame.board, frame.ref].filter((one) => one !== undefined).map((one) => ` #${printable(one)}`);
      const to = frame.to === null ? '' : ' (to you)';
      return (
        `${dim(utcTimeOfDay(frame.ts))} ${bold(printable(frame.from))}${to}: ` +
        `${oneLine(formatPayload(frame.payload))}${dim(about.join(''))}`
      );
    }
    case 'board': {
      const title = frame.title === undefined ? '' : ` “${oneLine(frame.title)}”`;
      const post = frame.post === undefined ? '' : ` ${frame.post}${title}`;
      return dim(`#${printable(frame.slug)}: ${frame.event.replace('_', ' ')}${post}`);
    }
    case 'error':
      return terminal.colours.red(oneLine(frame.detail));
    case 'closed':
    case 'ack':
      return undefined;
  }
}

async function watch(
  terminal: Terminal,
  line: WallLine,
  { count, jsonl, raw }: Pick<WatchOptions, 'count' | 'jsonl' | 'raw'>,
): Promise<void> {
  let messages = 0;
  const streams = new WatchedStreams();
  const show = (frame: WallFrame) => {
    const said = formatFrame(terminal, frame);
    if (said !== undefined && frame.kind === 'message') terminal.answer(said);
    else if (said !== undefined) terminal.note(said);
  };
  for (let frame = await line.next(); frame !== undefined; frame = await line.next()) {
    for (const shown of jsonl || raw ? [frame] : streams.take(frame)) {
      if (jsonl) terminal.record(shown);
      else show(shown);
      if (shown.kind === 'message') messages += 1;
      if (messages === count) return;
    }
  }
  for (const frame of streams.endAll()) show(frame);
}

/**
 * Sends one payload. Returns the number of recipients that it reached. Throws `bad_request` with the daemon's reason.
 */
async function sendMessage(line: WallLine, payload: unknown, to: readonly string[]): Promise<number> {
  line.send(to.length === 0 ? { payload } : { to: to.length === 1 ? to[0] : to, payload });
  for (let frame = await line.next(); frame !== undefined; frame = await line.next()) {
    if (frame.kind === 'ack') return frame.delivered;
    if (frame.kind === 'error') throw new CommandError(EXIT.usage, frame.detail, 'bad_request');
  }
  return 0;
}

const visOption = (what: string) => new Option('--vis <visibility>', what).choices(VISIBILITIES).default('ghost');

function addWatch(cluster: Command, terminal: Terminal): void {
  cluster
    .command('watch')
    .summary('follow the Wall of a cluster')
    .description(
      'Print the messages of a cluster’s Wall as they arrive, until Ctrl-C. Wall messages are not stored: ' +
        'earlier ones are not available.',
    )
    .argument('<cluster>', CLUSTER_HELP)
    .option('--as <handle>', 'your handle', parseHandle, 'watcher')
    .addOption(visOption('whether others see you'))
    .option('--count <messages>', 'stop after this many messages', parseCount)
    .option('--jsonl', 'every frame as one JSON object a line')
    .option('--raw', 'every frame as it arrives: the pieces of a message that is streamed are not joined')
    .addHelpText(
      'after',
      examples('meshd cluster watch the-commons', 'meshd cluster watch the-commons --jsonl --count 1 | jq .payload'),
    )
    .action(
      action<WatchOptions, [string]>(terminal, async ({ root, as, vis, count, jsonl, raw, json }, ref) => {
        const line = await WallLine.open(await ClusterCalls.open(root, terminal, ref), as, vis);
        try {
          await watch(terminal, line, { count, jsonl: jsonl || json, raw });
        } finally {
          line.close();
        }
      }),
    );
}

function addSay(cluster: Command, terminal: Terminal): void {
  cluster
    .command('say')
    .summary('send a message to the Wall of a cluster')
    .description(
      'Send a message to everybody connected now, or to the handles you name, and print how many it reached. ' +
        'Nothing is stored for absent members.',
    )
    .argument('<cluster>', CLUSTER_HELP)
    .argument('<text>', 'the text; - reads stdin')
    .requiredOption('--as <handle>', 'your handle', parseHandle)
    .option('--to <handle>', 'only to this one; may be repeated', collect, [])
    .addOption(visOption('whether others see you join and leave'))
    .addHelpText(
      'after',
      examples(
        'meshd cluster say the-commons "Good morning" --as ada',
        'meshd cluster say the-commons - --as ada --to bob < note.txt',
      ),
    )
    .action(
      action<SayOptions, [string, string]>(terminal, async ({ root, json, as, vis, to }, ref, text) => {
        const payload = text === '-' ? (await readAll(terminal.stdin)).trimEnd() : text;
        if (payload === '')
          throw new CommandError(EXIT.usage, 'The text is empty: give one, or - to read stdin.', 'bad_request');
        const cluster = await ClusterCalls.open(root, terminal, ref);
        const line = await WallLine.open(cluster, as, vis);
        try {
          const delivered = await sendMessage(line, payload, to);
          if (json) terminal.object({ cluster_id: cluster.id, delivered });
          else terminal.answer(delivered === 0 ? 'Nobody was reached.' : `Reached ${delivered}.`);
        } finally {
          line.close();
        }
      }),
    );
}

/** Adds `watch` and `say`: the live chat of a cluster. */
export function addClusterWall(cluster: Command, terminal: Terminal): void {
  addWatch(cluster, terminal);
  addSay(cluster, terminal);
}
