import type { Command } from 'commander';
import type { Telemetry, TelemetrySettings, TelemetryTest } from '../../contract/telemetry.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readText } from '../standard-input.js';
import type { Terminal } from '../terminal.js';
import { utcTime } from '../utc-time.js';
import { getDaemon } from './project.js';

const formatTime = (time: string) => `${utcTime(time)} UTC`;

function show(terminal: Terminal, telemetry: Telemetry): void {
  const { address, content, header_names, sent, queued, dropped, last_success_at, last_error } = telemetry;
  if (terminal.isJson) terminal.object(telemetry);
  else if (address === null) terminal.answer('Telemetry is off: nothing is sent.');
  else
    terminal.table([
      ['Address', sanitizeDisplayLine(address)],
      ['Sends', content ? 'traces and metrics, with texts' : 'traces and metrics, without texts'],
      ['Headers', header_names.length > 0 ? header_names.join(', ') : 'none'],
      ['Spans', `${sent} sent, ${queued} waiting, ${dropped} dropped`],
      ['Last success', last_success_at === null ? 'none yet' : formatTime(last_success_at)],
      ...(last_error
        ? [['Last error', `${formatTime(last_error.at)}: ${sanitizeDisplayLine(last_error.message)}`]]
        : []),
    ]);
}

/** Reads `Name: value` lines. No message quotes a value, which may be a key. */
async function readHeaders(path: string): Promise<NonNullable<TelemetrySettings['headers']>> {
  const lines = (await readText(path)).split('\n').map((line) => line.trim());
  return lines.flatMap((line, at) => {
    if (line === '') return [];
    const [, name, value] = /^([^\s:]+):\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new CommandError(
        EXIT.usage,
        `Line ${at + 1} of ${path} is not a header: write each as "Name: value".`,
        'bad_request',
      );
    return [{ name, value }];
  });
}

function addSet(telemetry: Command, terminal: Terminal): void {
  telemetry
    .command('set')
    .summary('send traces and metrics to a collector')
    .description(
      'Send traces and metrics of turns, tool calls, asks and requests to a collector by OpenTelemetry (OTLP over ' +
        'HTTP, JSON). Texts of questions, answers and tools are sent with --content only, without secrets.',
    )
    .argument('<url>', 'the address of the collector: https, or http on this machine')
    .option('--header-file <file>', 'headers to send, one "Name: value" a line, - for stdin; kept in .mesh/credentials')
    .option('--content', 'send texts too')
    .addHelpText(
      'after',
      examples(
        'meshd telemetry set http://127.0.0.1:4318',
        'meshd telemetry set https://otlp.example.com --header-file headers.txt',
      ),
    )
    .action(
      action<{ headerFile?: string; content?: boolean }, [string]>(
        terminal,
        async ({ root, headerFile, content }, address) => {
          const headers = headerFile === undefined ? undefined : await readHeaders(headerFile);
          const body: TelemetrySettings = { address, content: content === true, ...(headers ? { headers } : {}) };
          const { client } = await getDaemon(root);
          show(terminal, await client.send<Telemetry>('PUT', '/telemetry', { body }));
        },
      ),
    );
}

function addTest(telemetry: Command, terminal: Terminal): void {
  telemetry
    .command('test')
    .summary('send one span to the collector')
    .description('Send one span to the collector and print what came back.')
    .addHelpText('after', examples('meshd telemetry test'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const { client } = await getDaemon(root);
        const test = await client.send<TelemetryTest>('POST', '/telemetry/test');
        if (!test.ok) terminal.exit = EXIT.failed;
        if (terminal.isJson) return terminal.object(test);
        const words = sanitizeDisplayLine(test.message);
        if (test.ok) terminal.answer(`${words} Trace ${test.trace_id}, ${test.ms} ms.`);
        else terminal.note(words);
      }),
    );
}

/** Adds `telemetry`: where traces and metrics are sent. */
export function addTelemetry(program: Command, terminal: Terminal): void {
  const telemetry = program
    .command('telemetry')
    .summary('send traces and metrics to a collector')
    .description('Send traces and metrics to a collector of yours by OpenTelemetry. Off until you set an address.');
  addSet(telemetry, terminal);
  telemetry
    .command('show')
    .summary('show what is sent where, and how it went')
    .description('Show what is sent where, and how it went since the daemon started.')
    .addHelpText('after', examples('meshd telemetry show', 'meshd telemetry show --json | jq .dropped'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        show(terminal, await (await getDaemon(root)).client.get<Telemetry>('/telemetry'));
      }),
    );
  addTest(telemetry, terminal);
  telemetry
    .command('off')
    .summary('send nothing any more')
    .description('Send nothing any more, and forget the address and its headers.')
    .addHelpText('after', examples('meshd telemetry off'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        show(terminal, await (await getDaemon(root)).client.send<Telemetry>('DELETE', '/telemetry'));
      }),
    );
}
