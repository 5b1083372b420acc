import { type Command, Option } from 'commander';
import {
  AGENT_PROGRAMS,
  type AgentProgramName,
  CLIENT_WAYS,
  type ClientChoice,
  type ClientList,
  type ClientSetup,
  type ClientTest,
  type ClientUse,
  type ClientWay,
  ENDPOINT_PROVIDERS,
  OLLAMA_CONTEXT,
  type OllamaModels,
} from '../../contract/clients.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readSecret } from '../standard-input.js';
import { printable, type Terminal } from '../terminal.js';
import { waitForTest } from './client-test.js';

interface ChoiceOptions {
  provider?: (typeof ENDPOINT_PROVIDERS)[number];
  url?: string;
  model?: string;
  withKey?: boolean;
  ollamaPort?: number;
}

const WAYS = [...AGENT_PROGRAMS, 'endpoint', 'ollama'] as const;
const isProgram = (word: string): word is AgentProgramName => (AGENT_PROGRAMS as readonly string[]).includes(word);
const isWay = (word: string): word is ClientWay =>
  (CLIENT_WAYS as readonly string[]).includes(word) && word !== 'program';

const CONTEXT_NOTE = `Ollama may cut off long questions without saying so. More context: ${OLLAMA_CONTEXT}.`;

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new CommandError(EXIT.usage, `--ollama-port must be a number from 1 to 65535, not "${text}".`, 'bad_request');
}

async function readKey(terminal: Terminal, isGiven: boolean | undefined): Promise<string | undefined> {
  if (!isGiven) return undefined;
  const key = await readSecret(terminal, 'key');
  if (key !== '') return key;
  throw new CommandError(EXIT.usage, '--with-key reads the key from stdin, and there is none.', 'bad_request');
}

/** Throws `usage` for an option of endpoints: a program has its model and its key in its own settings. */
function toProgram(program: AgentProgramName, options: ChoiceOptions): ClientChoice {
  const { provider, url, model, withKey, ollamaPort } = options;
  const given = Object.entries({ provider, url, model, 'with-key': withKey, 'ollama-port': ollamaPort });
  const option = given.find(([, value]) => value !== undefined)?.[0];
  if (option === undefined) return { way: 'program', program };
  throw new CommandError(
    EXIT.usage,
    `--${option} is for endpoint and ollama: the program ${program} has settings of its own.`,
    'bad_request',
  );
}

async function readChoice(terminal: Terminal, way: string, options: ChoiceOptions): Promise<ClientChoice> {
  if (isProgram(way)) return toProgram(way, options);
  const api_key = await readKey(terminal, options.withKey);
  if (!isWay(way))
    throw new CommandError(EXIT.usage, `"${printable(way)}" is not one of ${WAYS.join(', ')}.`, 'bad_request');
  const { provider, url, model, ollamaPort } = options;
  return {
    way,
    ...(provider === undefined ? {} : { provider }),
    ...(url === undefined ? {} : { base_url: url }),
    ...(model === undefined ? {} : { model }),
    ...(api_key === undefined ? {} : { api_key }),
    ...(ollamaPort === undefined ? {} : { port: ollamaPort }),
  };
}

function addChoiceOptions(command: Command): Command {
  return command
    .argument('<way>', `one of ${WAYS.join(', ')}`)
    .addOption(new Option('--provider <provider>', 'what the endpoint speaks').choices(ENDPOINT_PROVIDERS))
    .option('--url <address>', 'the address of the endpoint: https, or http on this machine')
    .option('--model <model>', 'the model of the endpoint or of Ollama')
    .option('--with-key', 'read the key of the endpoint from stdin; without it, the kept key of that server is used')
    .option('--ollama-port <port>', 'the port of Ollama on 127.0.0.1 (default: 11434)', parsePort);
}

function showSetup(terminal: Terminal, { model_connected, auto, endpoint }: ClientSetup): void {
  terminal.answer(model_connected ? `Members on auto run on ${auto}.` : 'No model connected: search only.');
  if (endpoint)
    terminal.answer(
      printable(`Endpoint: ${endpoint.base_url}, ${endpoint.model}, ${endpoint.has_key ? 'with a key' : 'no key'}.`),
    );
}

function addList(clients: Command, terminal: Terminal): void {
  clients
    .command('ls')
    .summary('list the clients of this machine')
    .description('List what can run a member on this machine, and what is missing.')
    .addHelpText('after', examples('meshd clients ls', 'meshd clients ls --json | jq .model_connected'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const { client } = await getDaemon(root);
        const list = await client.get<ClientList>('/clients');
        if (terminal.isJson) return terminal.object(list);
        terminal.table(
          list.clients.map(({ name, ready, reason, models }) => [
            list.auto === name ? `${name} *` : name,
            ready ? 'ready' : 'not ready',
            printable(reason ?? models.join(', ')),
          ]),
          ['CLIENT', 'STATE', 'MODELS OR REASON'],
        );
        if (!list.model_connected) terminal.note('No model connected: search only. See `meshd clients use --help`.');
      }),
    );
}

function addModels(clients: Command, terminal: Terminal): void {
  clients
    .command('models')
    .summary('list the models of Ollama on this machine')
    .description('List the models of Ollama on this machine.')
    .option('--ollama-port <port>', 'the port of Ollama on 127.0.0.1 (default: 11434)', parsePort)
    .addHelpText('after', examples('meshd clients models', 'meshd clients models --ollama-port 11500'))
    .action(
      action<ChoiceOptions, []>(terminal, async ({ root, ollamaPort }) => {
        const { client } = await getDaemon(root);
        const found = await client.get<OllamaModels>(
          `/clients/ollama${ollamaPort === undefined ? '' : `?port=${ollamaPort}`}`,
        );
        if (terminal.isJson) terminal.object(found);
        else {
          for (const model of found.models) terminal.answer(printable(model));
          terminal.note(found.reason === null ? CONTEXT_NOTE : printable(found.reason));
        }
        if (found.reason !== null) terminal.exit = EXIT.failed;
      }),
    );
}

function addTest(clients: Command, terminal: Terminal): void {
  addChoiceOptions(clients.command('test'))
    .summary('test a model with one short turn')
    .description(
      'Test a model with one short turn, and save nothing. It takes at most 60 s, or 5 minutes with an endpoint on ' +
        'this machine, which may have to load the model. Ctrl-C stops it.',
    )
    .addHelpText(
      'after',
      examples(
        'meshd clients test claude',
        'meshd clients test ollama --model llama3.2',
        'meshd clients test endpoint --provider openai-compatible --url https://api.example.com/v1 --model large ' +
          '--with-key < key.txt',
      ),
    )
    .action(
      action<ChoiceOptions, [string]>(terminal, async ({ root, ...options }, way) => {
        const body = await readChoice(terminal, way, options);
        const { client } = await getDaemon(root);
        const test = await waitForTest(client, await client.send<ClientTest>('POST', '/clients/tests', { body }));
        if (test.state !== 'passed') terminal.exit = test.state === 'cancelled' ? EXIT.interrupted : EXIT.failed;
        if (terminal.isJson) return terminal.object(test);
        if (test.state === 'passed')
          terminal.answer(printable(`${test.client} answered in ${test.ms} ms: ${test.answer}`));
        else terminal.note(printable(test.reason ?? 'It did not answer.'));
      }),
    );
}

function addUse(clients: Command, terminal: Terminal): void {
  addChoiceOptions(clients.command('use'))
    .summary('use a model for all members or for one')
    .description(
      'Use a model for every member whose client is auto, or with --member for one, whose file then names the ' +
        'client. A key is kept in .mesh/credentials and never shown. Test it first: meshd clients test.',
    )
    .option('--member <member>', 'only this member')
    .addHelpText(
      'after',
      examples('meshd clients use claude', 'meshd clients use ollama --model llama3.2 --member developer'),
    )
    .action(
      action<ChoiceOptions & { member?: string }, [string]>(terminal, async ({ root, member, ...options }, way) => {
        const choice = await readChoice(terminal, way, options);
        const body: ClientUse = { ...choice, ...(member === undefined ? {} : { member }) };
        const { client } = await getDaemon(root);
        const setup = await client.send<ClientSetup>('PUT', '/clients/setup', { body });
        if (terminal.isJson) terminal.object(setup);
        else showSetup(terminal, setup);
        if (way === 'ollama' && !terminal.isJson) terminal.note(CONTEXT_NOTE);
      }),
    );
}

function addForget(clients: Command, terminal: Terminal): void {
  clients
    .command('forget')
    .summary('forget the chosen model and its key')
    .description('Forget the chosen model and its key. The environment and the programs that are found decide again.')
    .addHelpText('after', examples('meshd clients forget'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const { client } = await getDaemon(root);
        const setup = await client.send<ClientSetup>('DELETE', '/clients/setup');
        if (terminal.isJson) terminal.object(setup);
        else showSetup(terminal, setup);
      }),
    );
}

/** `meshd clients`: what runs the members on this machine. */
export function addClients(program: Command, terminal: Terminal): void {
  const clients = program
    .command('clients')
    .summary('what runs the members: connect a model, test it')
    .description('What runs the members on this machine: connect a model, test it, and choose for whom it is used.');
  addList(clients, terminal);
  addModels(clients, terminal);
  addTest(clients, terminal);
  addUse(clients, terminal);
  addForget(clients, terminal);
}
