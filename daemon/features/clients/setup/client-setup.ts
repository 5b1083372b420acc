import {
  AGENT_PROGRAMS,
  type AgentProgramName,
  type ClientChoice,
  type ClientSetup as ClientSetupView,
  type ClientTest,
  type ClientUse,
  type OllamaModels,
} from '../../../contract/clients.js';
import { MeshError } from '../../../lib/errors.js';
import type { JsonStore } from '../../../storage/files/json-store.js';
import { isOnThisMachine } from '../api/api-settings.js';
import type { Client } from '../client.js';
import type { Clients } from '../clients.js';
import {
  type ChosenClient,
  type ClientSettings,
  NO_SETTINGS,
  ollamaAddress,
  toChosenClient,
  withChoice,
  withUse,
} from './client-settings.js';
import { type ClientTests, LOADING_LIMIT_SECONDS } from './client-tests.js';

/** An agent program as it is on this machine. */
interface FoundProgram {
  isFound: boolean;
  problem: string | null;
}

/**
 * Creates the clients beside `builtin` with these settings. `retries`: how often a request that failed is repeated;
 * default as usual.
 */
export type CreateClients = (settings: ClientSettings, retries?: number) => readonly Client[];
export type FindProgram = (program: AgentProgramName) => Promise<FoundProgram>;

interface ClientSetupParts {
  clients: Clients;
  settings: JsonStore<ClientSettings>;
  tests: ClientTests;
  create: CreateClients;
  /** Looks for the program now, without what an earlier look found. */
  findProgram: FindProgram;
  /** Lets the file of this member name the client. Throws `not_found`. */
  setMember: (id: string, client: ChosenClient) => Promise<void>;
}

/**
 * The operator's choice of what runs the members. It is kept in `.mesh/credentials` on this machine, and no file of the
 * repository can name a program, an address or a key.
 */
export class ClientSetup {
  constructor(private readonly parts: ClientSetupParts) {}

  /** Reads the settings and creates the clients with them. Throws `store_readonly` for a damaged file. */
  async load(): Promise<void> {
    await this.parts.settings.load();
    this.apply();
  }

  /** Checks the clients and programs, and returns what may be chosen. */
  async view(): Promise<ClientSetupView> {
    const { clients, settings } = this.parts;
    const { auto, model_connected } = await clients.list();
    const { endpoint, named_only } = settings.data;
    return {
      model_connected,
      auto,
      named_only: [...named_only],
      programs: await Promise.all(AGENT_PROGRAMS.map((program) => this.describe(program))),
      endpoint: endpoint
        ? {
            provider: endpoint.provider,
            base_url: endpoint.base_url,
            model: endpoint.model,
            has_key: endpoint.api_key !== undefined,
          }
        : null,
    };
  }

  /** Starts a short turn with the chosen client, without saving the choice. Throws `bad_request` with `path`. */
  async test(choice: ClientChoice): Promise<ClientTest> {
    await this.requireProgram(choice);
    const { create, settings, tests } = this.parts;
    const name = toChosenClient(choice);
    const chosen = withChoice(settings.data, choice);
    const client = create(chosen, 0).find((one) => one.name === name);
    if (!client) throw new MeshError('bad_request', `Client \`${name}\` does not exist on this machine.`);
    const mayLoad = name === 'api' && chosen.endpoint !== undefined && isOnThisMachine(chosen.endpoint.base_url);
    return tests.start(client, mayLoad ? LOADING_LIMIT_SECONDS : undefined);
  }

  /**
   * Saves the choice, for every member whose client is `auto` or for one member, whose file then names the client.
   * Durable when it resolves. Throws `bad_request` with `path`, and `not_found` for an unknown member.
   */
  async use({ member, ...choice }: ClientUse): Promise<ClientSetupView> {
    await this.requireProgram(choice);
    const { settings, clients, setMember } = this.parts;
    const client = toChosenClient(choice);
    const isServing = (await clients.list()).auto === client;
    const next = withChoice(settings.data, choice);
    // First, since it can be refused.
    if (member !== undefined) await setMember(member, client);
    await settings.update(() =>
      member !== undefined && isServing ? next : withUse(next, client, member === undefined),
    );
    this.apply();
    return this.view();
  }

  /** Forgets the choice and the key. The environment and the programs that are found decide again. */
  async forget(): Promise<ClientSetupView> {
    await this.parts.settings.update(() => NO_SETTINGS);
    this.apply();
    return this.view();
  }

  /** Lists the models of Ollama on this machine. */
  async listOllama(port: number | undefined): Promise<OllamaModels> {
    const base_url = ollamaAddress(port);
    const endpoint = { provider: 'openai-compatible' as const, base_url, model: '' };
    const client = this.parts.create({ ...NO_SETTINGS, endpoint }).find(({ name }) => name === 'api');
    const { ready, reason } = (await client?.probe()) ?? { ready: false, reason: 'This machine has no such client.' };
    const models = ready ? (client?.models() ?? []).filter((model) => model !== '') : [];
    if (!ready) return { base_url, models, reason };
    return { base_url, models, reason: models.length === 0 ? 'It has no model yet: `ollama pull llama3.2`.' : null };
  }

  private apply(): void {
    const { clients, settings, create } = this.parts;
    const { auto, named_only } = settings.data;
    clients.replace(create(settings.data), { preferred: auto, namedOnly: named_only });
  }

  private async describe(program: AgentProgramName): Promise<ClientSetupView['programs'][number]> {
    const { settings, findProgram } = this.parts;
    const client = toChosenClient({ way: 'program', program });
    const { isFound, problem } = await findProgram(program);
    const { auto, acp_program } = settings.data;
    const chosen = client === 'acp' ? acp_program === program : auto === client;
    return { program, client, found: isFound, problem, chosen };
  }

  private async requireProgram({ way, program }: ClientChoice): Promise<void> {
    if (way !== 'program' || program === undefined) return;
    const { isFound, problem } = await this.parts.findProgram(program);
    if (isFound) return;
    const message = problem ?? `The program \`${program}\` is not on this machine's PATH: install it, then look again.`;
    throw new MeshError('bad_request', message, { details: { path: 'program' } });
  }
}
