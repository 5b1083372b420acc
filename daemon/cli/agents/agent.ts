import type { Command } from 'commander';
import type { Surface, TokenResult } from '../../contract/network/agents.js';
import type { DoctorReport } from '../../contract/system.js';
import { action, type Common, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import type { Terminal } from '../terminal.js';
import { type AgentKey, AgentKeys } from './agent-keys.js';
import { listAgents } from './agent-list.js';
import { showAgent } from './agent-show.js';
import {
  cardOption,
  listSurfaces,
  readCard,
  SURFACE_NAME,
  SURFACE_PATH,
  type SurfaceChoice,
  surfaceOption,
} from './agent-surfaces.js';

interface RegisterOptions {
  capability: string[];
  description?: string;
  card?: string;
  surface: SurfaceChoice;
}

interface OwnOptions {
  surface: SurfaceChoice;
  card?: string;
  forget?: boolean;
}

/** Argument parser for options that may be repeated. */
export const collect = (value: string, before: string[]): string[] => [...before, value];

/** Throws `forbidden` while git tracks secrets, like the daemon before it stores its own. */
export async function requireUntracked(client: HttpClient): Promise<void> {
  const { checks } = await client.get<DoctorReport>('/doctor');
  const found = checks.find(({ id, state }) => id === 'secrets' && state === 'fail');
  if (found)
    throw new CommandError(
      EXIT.refused,
      `Git tracks secrets (${found.found}). Run \`${found.fix}\`, commit, and try again.`,
      'forbidden',
    );
}

/** The keys of an agent on the chosen surfaces. Throws `not_found` when there is none. */
function ownKeys(keys: AgentKeys, agentId: string, choice: SurfaceChoice): [Surface, AgentKey][] {
  const known = keys.find(agentId);
  const found = listSurfaces(choice).flatMap((surface): [Surface, AgentKey][] =>
    known[surface] ? [[surface, known[surface]]] : [],
  );
  if (found.length > 0) return found;
  const where = choice === 'both' ? '' : ` for the ${SURFACE_NAME[choice]}`;
  throw new CommandError(
    EXIT.notFound,
    `There is no key of ${agentId}${where} in ${keys.path}: register it first.`,
    'not_found',
  );
}

/** Requests a new token. Throws `unauthorized` when the key is not valid because the agent was deregistered. */
async function tokenFor(client: HttpClient, surface: Surface, key: AgentKey): Promise<string> {
  try {
    return (await client.send<TokenResult>('POST', `${SURFACE_PATH[surface]}/token`, { body: key })).token;
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'unauthorized') throw error;
    const said =
      `The ${SURFACE_NAME[surface]} does not take the key of ${key.agent_id} any more: it was deregistered. ` +
      `\`meshd agent rm ${key.agent_id} --forget\` drops the key.`;
    throw new CommandError(EXIT.refused, said, 'unauthorized');
  }
}

const listNames = (surfaces: readonly Surface[]) => surfaces.map((one) => SURFACE_NAME[one]).join(' and the ');

/**
 * Registers an agent on the surfaces one after the other and stores its keys. Throws the refusal of the first surface
 * that refuses, which names those where it is registered by then.
 */
async function registerOn(
  client: HttpClient,
  keys: AgentKeys,
  surfaces: readonly Surface[],
  body: { agent_id: string },
): Promise<void> {
  const { agent_id } = body;
  const done: Surface[] = [];
  for (const surface of surfaces) {
    try {
      const { api_key } = await client.send<{ api_key: string }>('POST', `${SURFACE_PATH[surface]}/register`, { body });
      keys.put(surface, { agent_id, api_key });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const kept = done.length > 0 ? ` It is registered on the ${listNames(done)}.` : '';
      throw new CommandError(error.exit, `${SURFACE_NAME[surface]}: ${error.message}${kept}`, error.code, {
        ...error.details,
        surface,
        registered: done,
      });
    }
    done.push(surface);
  }
}

async function registerAgent(
  terminal: Terminal,
  { root, json, capability, description, card, surface }: RegisterOptions & Common,
  agent_id: string,
): Promise<void> {
  const { client } = await getDaemon(root);
  const keys = new AgentKeys(root);
  const agent_card = await readCard(card);
  keys.find(agent_id);
  await requireUntracked(client);
  const body = {
    agent_id,
    capabilities: capability,
    ...(description === undefined ? {} : { description }),
    ...(agent_card && { agent_card }),
  };
  const surfaces = listSurfaces(surface);
  await registerOn(client, keys, surfaces, body);
  if (json) terminal.object({ agent_id, registered: surfaces, keys_file: keys.path });
  else terminal.answer(`${agent_id} is registered on the ${listNames(surfaces)}.`);
  terminal.note(
    `Its key is in ${keys.path}. Keep it online: \`meshd agent heartbeat ${agent_id}\` at least every five minutes.`,
  );
}

function addAgentRegister(agent: Command, terminal: Terminal): void {
  agent
    .command('register')
    .summary('register an agent; its key is kept in .mesh/credentials')
    .description(
      'Register an agent, first come first served. Its api_key is kept in .mesh/credentials/agents.json (0600) ' +
        'and never shown.\nOne surface is asked after the other; what was registered before a refusal stays.',
    )
    .argument('<id>', 'its id: 3 to 64 letters, digits, hyphens or underscores')
    .option('--capability <word>', 'what it can do; may be repeated', collect, [])
    .option('--description <text>', 'one sentence about it')
    .addOption(cardOption())
    .addOption(surfaceOption('where').default('both'))
    .addHelpText(
      'after',
      examples(
        'meshd agent register painter --capability paint --card card.json',
        'meshd agent register painter --surface hub',
      ),
    )
    .action(action<RegisterOptions, [string]>(terminal, (options, id) => registerAgent(terminal, options, id)));
}

async function sendHeartbeats(
  terminal: Terminal,
  { root, json, card, surface }: OwnOptions & Common,
  id: string,
): Promise<void> {
  const { client } = await getDaemon(root);
  const agent_card = await readCard(card);
  const body = agent_card ? { agent_card } : {};
  const told: { surface: Surface; agent_id: string; online: boolean }[] = [];
  for (const [one, key] of ownKeys(new AgentKeys(root), id, surface)) {
    const token = await tokenFor(client, one, key);
    const call = { body, token };
    const { online, live } =
      one === 'hub'
        ? await client.send<{ online?: boolean; live?: boolean }>('PATCH', '/agents/me', call)
        : await client.send<{ online?: boolean; live?: boolean }>('POST', '/v1/agents/me/heartbeat', call);
    told.push({ surface: one, agent_id: key.agent_id, online: online ?? live ?? false });
  }
  if (json) return terminal.object({ heartbeats: told });
  for (const { surface: one, agent_id, online } of told) {
    terminal.answer(`${agent_id} is ${online ? 'online' : 'away'} on the ${SURFACE_NAME[one]}.`);
  }
}

function addAgentHeartbeat(agent: Command, terminal: Terminal): void {
  agent
    .command('heartbeat')
    .summary('send a heartbeat of an agent')
    .description(
      'Mint a fresh token with the kept key and send a heartbeat, with the card if one is given. Without one ' +
        'for more than five minutes an agent is offline.',
    )
    .argument('<agent>')
    .addOption(cardOption())
    .addOption(surfaceOption('where').default('both', 'wherever there is a key'))
    .addHelpText(
      'after',
      examples('meshd agent heartbeat painter', 'meshd agent heartbeat painter --card card.json --surface v1'),
    )
    .action(action<OwnOptions, [string]>(terminal, (options, id) => sendHeartbeats(terminal, options, id)));
}

async function deregisterAgent(
  terminal: Terminal,
  { root, json, surface, forget }: OwnOptions & Common,
  id: string,
): Promise<void> {
  const keys = new AgentKeys(root);
  const own = ownKeys(keys, id, surface);
  const client = forget ? undefined : (await getDaemon(root)).client;
  for (const [one, key] of own) {
    if (client) await client.send('DELETE', `${SURFACE_PATH[one]}/me`, { token: await tokenFor(client, one, key) });
    keys.drop(id, one);
    if (!json)
      terminal.answer(`${key.agent_id} is ${client ? 'deregistered from' : 'forgotten for'} the ${SURFACE_NAME[one]}.`);
  }
  if (json)
    terminal.object({
      agent_id: own[0]?.[1].agent_id,
      [forget ? 'forgotten' : 'deregistered']: own.map(([one]) => one),
    });
}

function addAgentRm(agent: Command, terminal: Terminal): void {
  agent
    .command('rm')
    .summary('deregister an agent')
    .description('Deregister an agent with the kept key, and drop the key. Its id is free again at once.')
    .argument('<agent>')
    .addOption(surfaceOption('where').default('both', 'wherever there is a key'))
    .option('--forget', 'only delete the key; the surfaces are not called')
    .addHelpText('after', examples('meshd agent rm painter', 'meshd agent rm painter --surface v1'))
    .action(action<OwnOptions, [string]>(terminal, (options, id) => deregisterAgent(terminal, options, id)));
}

function addAgentShow(agent: Command, terminal: Terminal): void {
  agent
    .command('show')
    .summary('show an agent in both directories')
    .description('Show an agent on both surfaces, whoever registered it.')
    .argument('<agent>')
    .addHelpText(
      'after',
      examples('meshd agent show painter', "meshd agent show painter --json | jq '.hub.agent_card'"),
    )
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        await showAgent(terminal, client, id, json);
      }),
    );
}

function addAgentLs(agent: Command, terminal: Terminal): void {
  agent
    .command('ls')
    .summary('list your own agents')
    .description('List the agents whose keys are kept in this project, with their state on both surfaces.')
    .addHelpText('after', examples('meshd agent ls', 'meshd agent ls --json'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const { client } = await getDaemon(root);
        await listAgents(terminal, client, new AgentKeys(root), json);
      }),
    );
}

export function addAgent(program: Command, terminal: Terminal): void {
  const agent = program
    .command('agent')
    .summary('agents of your own on the two directories')
    .description('Agents of your own on the hub and the unified API, two separate directories.');

  addAgentRegister(agent, terminal);
  addAgentHeartbeat(agent, terminal);
  addAgentRm(agent, terminal);
  addAgentShow(agent, terminal);
  addAgentLs(agent, terminal);
}
