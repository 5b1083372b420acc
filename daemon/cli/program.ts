import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addAgent } from './agent.js';
import { addAsk } from './ask.js';
import { addBoard } from './board.js';
import { addCall } from './call.js';
import { addCard } from './card.js';
import { addCatalog } from './catalog.js';
import { addCluster } from './cluster.js';
import { addCompletion, answerShell, COMPLETE } from './completion.js';
import { addConversations } from './conversations.js';
import { addDoctor } from './doctor.js';
import { addDown } from './down.js';
import { CommandFailure, EXIT } from './exit-codes.js';
import { addFind } from './find.js';
import { addInbox } from './inbox.js';
import { addLedger } from './ledger.js';
import { addOpen } from './open.js';
import { addPost } from './post.js';
import { addRequests } from './requests.js';
import { addRoadmap } from './roadmap.js';
import { addStatus } from './status.js';
import { addTalk } from './talk.js';
import { addTeam } from './team.js';
import type { Terminal } from './terminal.js';
import { addToken } from './token.js';
import { addUp } from './up.js';
import { addUpgrade } from './upgrade.js';
import { addVerify } from './verify.js';
import { addWallet } from './wallet.js';

const EXIT_CODES = `
Exit status:
  0 ok    1 failed    2 usage    3 daemon not reachable    4 not found    5 refused    6 conflict
  7 the member answered with an error    8 deadline passed    9 needs a person
  from up: 70 internal    75 already running, or port taken    78 bad configuration`;

/** The whole command line. `entry` is the address of the program's own file, beside which the daemon lies. */
export function createProgram(terminal: Terminal, entry: string): Command {
  const program = new Command('meshd')
    .description(
      'One loopback daemon for your repository: a team roster in Markdown whose members answer other programs with cited, checked facts.',
    )
    .version(manifest.version)
    .option('--root <dir>', 'the project (default: the nearest folder with .mesh, else git’s top level, else here)')
    .option('--json', 'answer with one JSON object')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(meshd --help lists the commands; so does --help after each of them)')
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.answer(text.trimEnd()), writeErr: (text) => terminal.warn(text.trimEnd()) });
  addUp(program, terminal, entry);
  addStatus(program, terminal);
  addDown(program, terminal);
  addOpen(program, terminal);
  addDoctor(program, terminal, entry);
  addTeam(program, terminal);
  addToken(program, terminal);
  addTalk(program, terminal);
  addInbox(program, terminal);
  addConversations(program, terminal);
  addRoadmap(program, terminal);
  addAsk(program, terminal);
  addRequests(program, terminal);
  addFind(program, terminal);
  addCard(program, terminal);
  addCall(program, terminal);
  addLedger(program, terminal);
  addAgent(program, terminal);
  addCatalog(program, terminal);
  addCluster(program, terminal);
  addBoard(program, terminal);
  addPost(program, terminal);
  addWallet(program, terminal);
  addVerify(program, terminal);
  addUpgrade(program, terminal);
  addCompletion(program, terminal);
  return program;
}

/** Runs one command line and returns the status to exit with. A failure is one sentence on stderr, or one JSON object with `--json`. */
export async function run(args: readonly string[], terminal: Terminal, entry: string): Promise<number> {
  const program = createProgram(terminal, entry);
  try {
    if (args[0] === COMPLETE) await answerShell(program, terminal, args.slice(1));
    else await program.parseAsync([...args], { from: 'user' });
    return terminal.exit;
  } catch (error) {
    // Commander has said by itself what was wrong with the line; asking for help is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof CommandFailure)) throw error;
    if (terminal.isJson) terminal.warn(JSON.stringify({ error: error.code, message: error.message, ...error.details }));
    else terminal.warn(`${terminal.colours.red('meshd:')} ${error.message}`);
    return error.exit;
  }
}
