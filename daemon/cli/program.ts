import { type Argument, Command, CommanderError, Help } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addAcp } from './acp/acp.js';
import { addAgent } from './agents/agent.js';
import { addCall } from './agents/call.js';
import { addCard } from './agents/card.js';
import { addFind } from './agents/find.js';
import { addLedger } from './agents/ledger.js';
import { addWallet } from './agents/wallet.js';
import { addAsk } from './asks/ask.js';
import { addBudgets } from './asks/budgets.js';
import { addCode } from './asks/code.js';
import { addMcp } from './asks/mcp.js';
import { addRequests } from './asks/requests.js';
import { addToken } from './asks/token.js';
import { addUsage } from './asks/usage.js';
import { addVerify } from './asks/verify.js';
import { addBoard } from './clusters/board.js';
import { addCluster } from './clusters/cluster.js';
import { addPost } from './clusters/post.js';
import { addCheckpoints } from './conversations/checkpoints.js';
import { addConversations } from './conversations/conversations.js';
import { addEvents } from './conversations/events.js';
import { addInbox } from './conversations/inbox.js';
import { addMerge } from './conversations/merge.js';
import { addReview } from './conversations/review.js';
import { addRoadmap } from './conversations/roadmap.js';
import { addSchedule } from './conversations/schedule.js';
import { addTalk } from './conversations/talk.js';
import { addWorktrees } from './conversations/worktrees.js';
import { addAdopt } from './daemon/adopt.js';
import { addBackup } from './daemon/backup.js';
import { addDoctor } from './daemon/doctor.js';
import { addDown } from './daemon/down.js';
import { addOpen } from './daemon/open.js';
import { addRestore } from './daemon/restore.js';
import { addService } from './daemon/service.js';
import { addStatus } from './daemon/status.js';
import { addSupportBundle } from './daemon/support-bundle.js';
import { addTelemetry } from './daemon/telemetry.js';
import { addUp } from './daemon/up.js';
import { addUpgrade } from './daemon/upgrade.js';
import { isBare, welcome } from './daemon/welcome.js';
import { findLateVersion, isVersionAsked, protectTexts } from './dashed-words.js';
import { CommandError, EXIT } from './exit-codes.js';
import { addCompletion, answerShell, isAskedByShell } from './help/completion.js';
import { addHelp, addManual, getCommandPath, helpWidth } from './help/manual.js';
import { addClients } from './models/clients.js';
import { addNetwork } from './network/network.js';
import { systemFailure } from './system-failure.js';
import { addCatalog } from './team/catalog.js';
import { addLs } from './team/ls.js';
import { addTeam } from './team/team.js';
import type { Terminal } from './terminal.js';

const EXIT_CODES = `
Exit status:
  0 ok    1 failed    2 usage    3 no daemon    4 not found    5 refused
  6 conflict    7 the member failed    8 deadline    9 needs a person
  70 internal    75 runs already, or port taken    78 configuration    130 Ctrl-C

More: meshd help <command>, or exit-codes, output, environment, files`;

function humanReadable(argument: Argument): string {
  const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${word}>` : `[${word}]`;
}

/** The command `meshd` itself: its options, and how it prints help and usage errors. */
function createRootCommand(terminal: Terminal): Command {
  return new Command('meshd')
    .description(
      'One loopback daemon for your repository: a team roster in Markdown whose members answer other programs ' +
        'with cited, checked facts.',
    )
    .version(manifest.version)
    .option('--root <dir>', 'the project (default: the nearest folder with .mesh, else git’s top level, else here)')
    .option('--json', 'answer with one JSON object')
    .helpOption('-h, --help', 'explain the command')
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => terminal.colours.bold(title),
      subcommandTerm: (command) =>
        [[command.name(), ...command.aliases()].join('|'), ...command.registeredArguments.map(humanReadable)].join(' '),
      visibleGlobalOptions(command) {
        return Help.prototype.visibleGlobalOptions.call(this, command).filter(({ long }) => long !== '--version');
      },
    })
    .showHelpAfterError('(meshd help lists the commands; --help after one explains it)')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.answer(text.trimEnd()),
      // Omitted with --json: a program receives one object instead.
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error:/, terminal.colours.red('meshd:'))),
      getOutHelpWidth: () => helpWidth(terminal),
      getErrHelpWidth: () => helpWidth(terminal),
      getOutHasColors: () => terminal.environment.isColourful,
      getErrHasColors: () => terminal.environment.isColourful,
    });
}

/** Creates the command line. `entry` is the URL of the program's own file, beside which the daemon is installed. */
export function createProgram(terminal: Terminal, entry: string): Command {
  const program = createRootCommand(terminal);
  program.commandsGroup('The daemon:');
  addUp(program, terminal, entry);
  addStatus(program, terminal, entry);
  addDown(program, terminal);
  addLs(program, terminal);
  addOpen(program, terminal);
  addDoctor(program, terminal, entry);
  addSupportBundle(program, terminal);
  addTelemetry(program, terminal);
  addBackup(program, terminal);
  addRestore(program, terminal);
  addAdopt(program, terminal);
  addService(program, terminal, entry);
  program.commandsGroup('The team:');
  addTeam(program, terminal);
  addToken(program, terminal);
  addClients(program, terminal);
  program.commandsGroup('Working with members:');
  addTalk(program, terminal);
  addInbox(program, terminal);
  addConversations(program, terminal);
  addRoadmap(program, terminal);
  addCheckpoints(program, terminal);
  addWorktrees(program, terminal);
  addSchedule(program, terminal);
  addEvents(program, terminal);
  addReview(program, terminal);
  addMerge(program, terminal);
  program.commandsGroup('Asking:');
  addAsk(program, terminal);
  addRequests(program, terminal);
  addUsage(program, terminal);
  addBudgets(program, terminal);
  addCode(program, terminal);
  program.commandsGroup('Agents and what they cost:');
  addMcp(program, terminal);
  addAcp(program, terminal, entry);
  addFind(program, terminal);
  addCard(program, terminal);
  addCall(program, terminal);
  addLedger(program, terminal);
  addAgent(program, terminal);
  addCatalog(program, terminal);
  addWallet(program, terminal);
  program.commandsGroup('Clusters:');
  addCluster(program, terminal);
  addBoard(program, terminal);
  addPost(program, terminal);
  addNetwork(program, terminal);
  program.commandsGroup('And:');
  addVerify(program, terminal);
  addUpgrade(program, terminal);
  addCompletion(program, terminal);
  addHelp(program, terminal);
  addManual(program, terminal);
  return program;
}

/** A usage error for a program: the parser's message, or the available subcommands of a command that requires one. */
function formatUsageError(program: Command, args: readonly string[], { code, message }: CommanderError): object {
  if (code !== 'commander.help') return { error: 'usage', message: message.replace(/^error: /, '') };
  const command = args.reduce((at, word) => at.commands.find((one) => one.name() === word) ?? at, program);
  const names = command.commands.map((one) => one.name()).join(', ');
  return { error: 'usage', message: `Say which command of meshd ${getCommandPath(command)}: ${names}.` };
}

/** Prints the failure and returns the exit status. */
function reportError(terminal: Terminal, { code, message, details, exit }: CommandError): number {
  if (terminal.isJson) terminal.record({ error: code, message, ...details });
  else terminal.note(`${terminal.colours.red('meshd:')} ${message}`);
  return exit;
}

function showVersion(terminal: Terminal): void {
  const { version } = manifest;
  if (terminal.isJson) terminal.object({ version });
  else terminal.answer(version);
}

async function parse(program: Command, args: readonly string[]): Promise<void> {
  const words = protectTexts(program, args);
  const late = findLateVersion(words);
  // The parser would print the version in place of what the command is to do.
  if (late !== undefined) program.error(`error: unknown option '${late}'`, { code: 'commander.unknownOption' });
  await program.parseAsync(words, { from: 'user' });
}

/**
 * Runs one command line and returns the exit status. A failure is one sentence on stderr; with `--json` it is
 * one JSON object on stdout, as a result is. Contract: CLI.
 */
export async function run(args: readonly string[], terminal: Terminal, entry: string): Promise<number> {
  const program = createProgram(terminal, entry);
  terminal.isJson = args.includes('--json');
  try {
    if (isAskedByShell(args)) await answerShell(program, terminal, args);
    else if (isVersionAsked(args)) showVersion(terminal);
    else if (isBare(args)) await welcome(terminal, args, manifest.version);
    else await parse(program, args);
    return terminal.exit;
  } catch (error) {
    if (error instanceof CommanderError) {
      // A request for help is not an error. A usage error has already been printed as text.
      if (error.exitCode === 0) return EXIT.ok;
      if (terminal.isJson) terminal.record(formatUsageError(program, args, error));
      return EXIT.usage;
    }
    const failure = error instanceof CommandError ? error : systemFailure(error);
    if (!failure) throw error;
    return reportError(terminal, failure);
  }
}
