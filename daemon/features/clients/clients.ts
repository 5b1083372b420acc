import type { ClientInfo, ClientList } from '../../contract/clients.js';
import { CLIENT_NAMES } from '../../contract/team.js';
import { isWorkingMember } from '../../lib/agents/working-member.js';
import type { Client } from './client.js';

/** The order in which `auto` looks for a ready client. Contract: Clients. */
const AUTO_ORDER = ['claude-code', 'acp', 'api', 'builtin'] as const;

const STRONGEST = 'strongest';
const NOT_HERE = 'This version of meshd cannot run it yet; choose `auto` or `builtin`.';
const NO_MODEL =
  'It cannot work yet, because no model is connected: connect one on the page Connect a model of the dashboard, or ' +
  'with meshd clients.';

const ONLY_SEARCH =
  'It cannot work on its client, the built-in search: choose another one for it on the page Connect a model of the ' +
  'dashboard, or with meshd clients.';

/** The client and model that a member resolves to on this machine. */
interface Resolution {
  client_resolved: string;
  model_resolved: string;
  /** The client to run. Absent when the named client does not exist or is not ready. */
  client?: Client;
  /** Why the member cannot run, in words for the operator. */
  problem?: string;
  /** The code of `problem`: no model is connected for a member that works. */
  code?: 'no_working_client';
  /** How the run differs from the member file, in words for the operator. */
  note?: string;
}

interface Readiness {
  ready: boolean;
  reason: string | null;
}

/** The operator's choice among the clients. */
interface Choice {
  /** The client that `auto` prefers. */
  preferred?: string | undefined;
  /** Clients that `auto` never takes. */
  namedOnly: readonly string[];
}

/** What decides about the client of a member. */
interface ClientSelection {
  client: string;
  model: string;
  effort?: string;
  tools?: readonly string[] | undefined;
  agent_type?: string;
}

/**
 * All clients and their readiness, as found by the last `refresh`. A client that a member names is never replaced by
 * another: only `auto` chooses.
 */
export class Clients {
  private readonly builtin: Client;
  private clients: ReadonlyMap<string, Client>;
  private readonly readiness = new Map<string, Readiness>();
  private choice: Choice = { namedOnly: [] };
  private readonly onChange: () => void;

  /** `onChange` is called when a client becomes ready or ceases to be, and after `replace`. */
  constructor(parts: { builtin: Client; others?: readonly Client[]; onChange?: () => void }) {
    this.builtin = parts.builtin;
    this.clients = this.index(parts.others ?? []);
    this.readiness.set(parts.builtin.name, { ready: true, reason: null });
    this.onChange = parts.onChange ?? (() => undefined);
  }

  /** Replaces the clients beside `builtin`. Turns that run keep theirs; the new ones are checked by `refresh`. */
  replace(others: readonly Client[], choice: Choice): void {
    this.clients = this.index(others);
    this.choice = choice;
    for (const { name } of others) this.readiness.delete(name);
    this.onChange();
  }

  private index(others: readonly Client[]): ReadonlyMap<string, Client> {
    return new Map([this.builtin, ...others].map((client) => [client.name, client]));
  }

  /** Probes every client. A client whose probe fails is not ready, with the error as the reason. */
  async refresh(): Promise<void> {
    const before = this.listReady();
    await Promise.all(
      [...this.clients.values()].map(async (client) => {
        const found = await client
          .probe()
          .catch((error: unknown) => ({ ready: false, reason: `Its check failed: ${String(error)}` }));
        // A client that was replaced meanwhile says nothing about its successor.
        if (this.clients.get(client.name) === client) this.readiness.set(client.name, found);
      }),
    );
    if (this.listReady() !== before) this.onChange();
  }

  /** Probes all clients and returns every client that a member may name, and the one that `auto` resolves to. */
  async list(): Promise<ClientList> {
    await this.refresh();
    const clients = CLIENT_NAMES.filter((name) => name !== 'auto').map((name) => this.describe(name));
    return { clients, auto: this.firstReady() ?? 'builtin', model_connected: this.hasModel() };
  }

  /**
   * Resolves the `client` and `model` of a member. A client that is not ready always comes with a `problem`, and so does
   * the built-in search for a member that works.
   */
  resolve(member: ClientSelection): Resolution {
    const name = member.client === 'auto' ? this.firstReady() : member.client;
    const client = name === undefined ? undefined : this.clients.get(name);
    if (name === undefined)
      return { client_resolved: 'auto', model_resolved: member.model, problem: 'No client is ready on this machine.' };
    if (!client)
      return {
        client_resolved: name,
        model_resolved: member.model,
        problem: `Client \`${name}\` is not ready: ${NOT_HERE}`,
      };
    const { ready, reason } = this.ready(name);
    const resolved = { client_resolved: name, ...this.model(client, member.model) };
    if (!ready) return { ...resolved, problem: `Client \`${name}\` is not ready: ${reason ?? 'it did not say why.'}` };
    if (name === 'builtin' && isWorkingMember(member))
      return {
        client_resolved: name,
        model_resolved: name,
        problem: this.hasModel() ? ONLY_SEARCH : NO_MODEL,
        code: 'no_working_client',
      };
    const effort = this.effortNote(client, member.effort);
    const note = [resolved.note, effort].filter((part) => part !== undefined).join(' ');
    return { ...resolved, client, ...(note === '' ? {} : { note }) };
  }

  private model(client: Client, asked: string): { model_resolved: string; note?: string } {
    const models = client.models();
    const best = models[0] ?? asked;
    if (asked === STRONGEST || asked === best) return { model_resolved: best };
    if (client.name !== 'builtin') return { model_resolved: asked };
    return { model_resolved: best, note: `Client \`builtin\` runs no model: \`${asked}\` is not used.` };
  }

  private effortNote(client: Client, effort: string | undefined): string | undefined {
    if (effort === undefined || effort === 'default' || client.efforts().includes(effort)) return undefined;
    return `Client \`${client.name}\` has no effort level \`${effort}\`: it runs at its default.`;
  }

  private firstReady(): string | undefined {
    const { preferred, namedOnly } = this.choice;
    const order = [preferred, ...AUTO_ORDER].filter((name) => name !== undefined);
    return order.find((name) => !namedOnly.includes(name) && this.ready(name).ready);
  }

  private hasModel(): boolean {
    return [...this.clients.keys()].some((name) => name !== 'builtin' && this.ready(name).ready);
  }

  private listReady(): string {
    return [...this.clients.keys()].filter((name) => this.ready(name).ready).join(' ');
  }

  private ready(name: string): Readiness {
    if (!this.clients.has(name)) return { ready: false, reason: NOT_HERE };
    return this.readiness.get(name) ?? { ready: false, reason: 'It has not been checked yet.' };
  }

  private describe(name: string): ClientInfo {
    const client = this.clients.get(name);
    const { ready, reason } = this.ready(name);
    return {
      name,
      ready,
      reason: ready ? null : reason,
      models: [...(client?.models() ?? [])],
      efforts: [...(client?.efforts() ?? [])],
    };
  }
}
