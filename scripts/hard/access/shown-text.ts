/**
 * Output for a repository in which every name is hostile: all commands of the command line, collected from the program
 * itself, in a pipe, on a terminal and with `--json`; the log; the responses of the daemon and its events. None of it
 * may contain a raw control character, escape sequence, bidirectional mark or zero-width character. Takes a few
 * seconds.
 *
 * `npx tsx scripts/hard/access/shown-text.ts`
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Argument, Command } from 'commander';
import { WebSocket } from 'ws';
import { everyCommand, getCommandPath } from '../../../daemon/cli/help/manual.js';
import { createProgram, run } from '../../../daemon/cli/program.js';
import { Terminal } from '../../../daemon/cli/terminal.js';
import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import type { DaemonProcess } from '../../../daemon/testing/processes/daemon-process.js';
import { type Drill, runDrill, until } from '../drill.js';
import { callHttp } from '../http-call.js';
import type { DrillProject } from '../project.js';
import { commitHostile, hostileFiles, hostileName, RAW, SHOWN } from './hostile-names.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/meshd.js', import.meta.url));
const ENTRY = new URL('../../../dist/meshd.js', import.meta.url).href;
const PATIENCE_MS = 4_000;
const AT_ONCE = 8;
/** Colour sequences that the command line writes itself. No hostile name contains them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control sequences.
const OWN_COLOURS = /\u001b\[(?:1|2|22|31|32|33|39)m/g;

/** Commands that are not run, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'service install': 'it changes the machine',
  'service uninstall': 'it changes the machine',
  'service logs': 'it follows the machine’s own log',
  'cluster watch': 'it goes on until it is ended: tried on a terminal of its own',
  'conversations export': 'a document goes to a file or a pipe byte for byte; a terminal is tried',
};
/** Commands that remove what the other commands show. */
const LAST = /(?:^| )(?:rm|revoke|down|hide|leave|restore|cancel|deny|drop|stop)$/;

type KnownNames = Readonly<Record<string, string>>;
const AS_PIPE = 'pipe';
const OUTPUT_FORMATS = [AS_PIPE, 'terminal', 'json'] as const;

interface ShownText {
  what: string;
  text: string;
}

/** Runs one command line in this process. Its streams are those of a pipe or of a terminal with colours. */
async function runCommand(
  root: string,
  args: readonly string[],
  way: (typeof OUTPUT_FORMATS)[number],
): Promise<ShownText> {
  let text = '';
  const into = () =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          text += String(chunk);
          done();
        },
      }),
      way === 'terminal' ? { isTTY: true, columns: 100 } : {},
    );
  const stdin = new PassThrough();
  stdin.end('nothing\n');
  const isColourful = way === 'terminal';
  const environment = {
    editor: undefined,
    isColourful,
    hasDisplay: false,
    command: 'meshd',
    variables: { PATH: process.env['PATH'], HOME: root },
  };
  const terminal = new Terminal(into(), into(), environment, stdin as unknown as Readable);
  const words = [...args, ...(way === 'json' ? ['--json'] : []), '--root', root];
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  const ran = run(words, terminal, ENTRY).catch((error: unknown) => terminal.note(String(error)));
  await Promise.race([ran, patience]);
  return {
    what: `${args
      .slice(0, 2)
      .join(' ')
      .replaceAll(/[^ -~]/g, '?')} (${way})`,
    text: isColourful ? text.replaceAll(OWN_COLOURS, '') : text,
  };
}

/**
 * Returns the value of an argument: an existing object of that kind, or a hostile name that does not exist when
 * `isHostile` is true.
 */
function valueFor(argument: Argument, names: KnownNames, isHostile: boolean): string {
  const name = argument.name().split('|')[0] ?? '';
  const [choice] = argument.argChoices ?? [];
  return choice ?? (isHostile ? undefined : names[name]) ?? hostileName('nobody');
}

function splitLines(command: Command, names: KnownNames): string[][] {
  const words = getCommandPath(command).split(' ');
  const mandatory = command.options.filter((one) => one.mandatory).flatMap((one) => [one.long ?? '', 'ada']);
  const isAsked = command.options.some((one) => one.long === '--yes') ? ['--yes'] : [];
  const line = (isHostile: boolean) => [
    ...words,
    ...command.registeredArguments.map((argument) => valueFor(argument, names, isHostile)),
    ...mandatory,
    ...isAsked,
  ];
  return command.registeredArguments.length > 0 ? [line(true), line(false)] : [words, [...words, hostileName('more')]];
}

/** Creates one of every object that carries names from others. Objects that the daemon rejects are not created. */
async function fill(daemon: DaemonProcess): Promise<KnownNames> {
  const put = async <T>(path: string, body: object): Promise<T | undefined> => {
    const answer = await callHttp(daemon.address, 'POST', path, body);
    return answer && answer.status < 300 ? (answer.body as T) : undefined;
  };
  const name = hostileName('Town');
  const cluster =
    (await put<ClusterCreated>('/v1/clusters', { name, visibility: 'public', about: name, boards_enabled: true })) ??
    (await put<ClusterCreated>('/v1/clusters', { name: 'Town', visibility: 'public', boards_enabled: true }));
  const conversation = await daemon.converse({ member: 'evil' });
  await daemon.post(conversation.conv, hostileName('Hello')).catch(() => undefined);
  await callHttp(daemon.address, 'PATCH', `/conversations/${conversation.conv}`, { title: hostileName('Title') });
  await daemon.call('PATCH', '/team/evil', { exposure: 'external' });
  const asked = await daemon.ask('evil', await daemon.getToken('evil'), {
    text: `When is the wick cut, ${hostileName('say')}?`,
  });
  return {
    member: 'evil',
    conversation: conversation.conv,
    request: asked.request_id,
    cluster: cluster?.cluster_id ?? 'town',
    question: 'When is the wick of the lantern cut?',
    text: hostileName('text'),
    words: hostileName('lantern'),
    title: hostileName('title'),
    task: 'angle',
    wallet: 'purse',
    receipt: join('README.md'),
    found: 'painter',
  };
}

async function tryCommands(drill: Drill, project: DrillProject, names: KnownNames): Promise<void> {
  const idle = new Terminal(new PassThrough(), new PassThrough(), {
    editor: undefined,
    isColourful: false,
    hasDisplay: false,
    command: 'meshd',
  });
  const commands = everyCommand(createProgram(idle, ENTRY)).filter((one) => one.commands.length === 0);
  const tried = commands.filter((one) => LEFT_OUT[getCommandPath(one)] === undefined);
  const said: ShownText[] = [];
  const queue = tried.filter((one) => !LAST.test(getCommandPath(one)));
  const work = async () => {
    for (let command = queue.shift(); command; command = queue.shift())
      for (const line of splitLines(command, names))
        for (const way of OUTPUT_FORMATS) said.push(await runCommand(project.root, line, way));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  queue.push(...tried.filter((one) => LAST.test(getCommandPath(one))));
  await work();
  said.push(await runCommand(project.root, ['conversations', 'export', names['conversation'] ?? ''], 'terminal'));
  const raw = said.filter(({ text }) => RAW.test(text));
  drill.none(
    'command lines that wrote a raw character',
    'lines',
    raw.map(({ what }) => what),
    `${said.length} lines of ${tried.length + 1} commands`,
  );
  drill.measure({
    measure: 'command lines that showed a hostile name, escaped',
    value: said.filter(({ text }) => SHOWN.test(text)).length,
    unit: 'lines',
    atLeast: drill.bound('shown'),
  });
}

/** Runs some commands as child processes on a pseudo-terminal. */
function tryTerminals(drill: Drill, project: DrillProject, names: KnownNames): void {
  if (spawnSync('script', ['--version'], { stdio: 'ignore' }).status !== 0) {
    drill.notRun('commands on a terminal of their own', 'there is no `script`');
    return;
  }
  const lines = [
    ['team', 'ls'],
    ['ask', 'evil', 'When is the wick of the lantern cut?'],
    ['conversations', 'show', names['conversation'] ?? ''],
    ['team', 'show', hostileName('nobody')],
    ['cluster', 'watch', names['cluster'] ?? ''],
  ];
  const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  const raw = lines.filter((line) => {
    const command = [process.execPath, PROGRAM, ...line, '--root', project.root].map(quote).join(' ');
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      timeout: 1_500,
      env: { PATH: process.env['PATH'], HOME: project.root, TERM: 'xterm-256color' },
      input: '',
    });
    // The terminal itself turns a line feed into carriage return and line feed.
    return RAW.test(String(stdout).replaceAll('\r\n', '\n').replaceAll(OWN_COLOURS, ''));
  });
  drill.none('commands on a terminal of their own that wrote a raw character', 'commands', raw.map(String));
}

async function tryAnswers(drill: Drill, { address }: DaemonProcess, names: KnownNames): Promise<void> {
  const described = await fetch(`${address}/openapi.json`);
  const { paths } = (await described.json()) as { paths: Record<string, Record<string, unknown>> };
  const plain = Object.entries(paths).flatMap(([path, { get }]) => (get && !path.includes('{') ? [path] : []));
  const named = [`/team/evil`, `/conversations/${names['conversation']}/messages`, `/requests/${names['request']}`];
  const raw: string[] = [];
  let shown = 0;
  for (const path of [...plain.filter((one) => !/^\/database|\/events$/.test(one)), ...named]) {
    const answer = await fetch(address + path).catch(() => undefined);
    if (!answer || !/json|html/.test(answer.headers.get('content-type') ?? '')) continue;
    const text = await answer.text();
    if (RAW.test(text)) raw.push(path);
    shown += Number(SHOWN.test(text));
  }
  drill.none('answers with a raw character', 'answers', raw, `${plain.length + named.length} addresses`);
  drill.measure({ measure: 'answers that held a hostile name, escaped', value: shown, unit: 'answers', atLeast: 5 });
}

await runDrill('shown-text', async (drill) => {
  const project = drill.project(hostileFiles());
  commitHostile(project.root);
  const daemon = await project.start({ MESHD_LOG_LEVEL: 'debug' });
  const frames: string[] = [];
  const events = new WebSocket(`${daemon.address.replace('http', 'ws')}/events`);
  events.on('message', (data) => frames.push(String(data)));
  events.on('error', () => undefined);
  drill.atEnd(() => events.terminate());
  await until(
    'the index',
    20_000,
    () => callHttp(daemon.address, 'GET', '/health'),
    (health) => health?.status === 200,
  );
  const names = await fill(daemon);
  await tryAnswers(drill, daemon, names);
  tryTerminals(drill, project, names);
  await tryCommands(drill, project, names);
  const log = readFileSync(join(project.root, '.mesh/state/daemon.log'), 'utf8');
  // Reported by kind and line number only: the raw characters would control this terminal.
  const getKind = (frame: string) => String((JSON.parse(frame) as { type: unknown }).type);
  const rawFrames = frames.filter((frame) => RAW.test(frame)).map(getKind);
  drill.none('events with a raw character', 'frames', rawFrames, `${frames.length} heard`);
  const lines = log.split('\n');
  const rawLines = lines.flatMap((line, index) => (RAW.test(line) ? [`line ${index + 1}`] : []));
  drill.none('lines of the log with a raw character', 'lines', rawLines, `${lines.length} written`);
});
// Commands that follow the daemon, as `events` does, would wait a minute for the next one.
process.exit();
