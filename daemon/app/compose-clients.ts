import { BuiltinClient } from '../features/clients/builtin/builtin-client.js';
import { Clients } from '../features/clients/clients.js';
import { NO_SETTINGS } from '../features/clients/setup/client-settings.js';
import { type ClientSetupArea, composeClientSetup } from '../features/clients/setup/compose-client-setup.js';
import type { Knowledge } from '../features/knowledge/knowledge.js';
import type { MemberVersion } from '../features/team/member-file.js';
import type { Team } from '../features/team/team.js';
import { systemClock } from '../lib/time/clock.js';
import type { MeshFolder } from '../storage/mesh-folder.js';
import type { Core } from './core.js';
import type { MachineClients } from './machine-clients.js';

const PROBE_EVERY_MS = 30_000;
/** How long the start waits for the first probe of the clients. */
const FIRST_PROBE_MS = 250;

export interface ClientsParts {
  openKnowledge: (root: string, state: string, onFault: Core['logError']) => Knowledge;
  /** Prepares the clients beside `builtin`. Called when the project's folders exist. */
  openClients: (folder: MeshFolder) => Promise<MachineClients>;
}

/** The client and the model that would run a member at present. */
export interface RunsOn {
  client_resolved: string;
  model_resolved: string;
}

export interface ClientsArea {
  knowledge: Knowledge;
  clients: Clients;
  machine: MachineClients;
  resolveClient(member: Pick<MemberVersion, 'client' | 'model' | 'effort'>): RunsOn;
  /** Starts the first probe of which clients are ready. */
  beginProbing(): void;
  /** Resolves when the first probe has ended or timed out, after which the probe repeats every 30 seconds. */
  keepProbing(): Promise<void>;
}

/** Composes the project's knowledge index and the clients that run members. */
export async function composeClients(
  { bus, clock, config, folder, logError }: Core,
  { openKnowledge, openClients }: ClientsParts,
): Promise<ClientsArea> {
  const knowledge = openKnowledge(config.root, folder.state, logError);
  knowledge.onStatus((status) => bus.publish('knowledge.progress', { status }));
  const machine = await openClients(folder);
  const clients = new Clients({
    builtin: new BuiltinClient(knowledge),
    others: machine.create(NO_SETTINGS),
    onChange: () => bus.publish('clients.updated', {}),
  });
  let firstProbe: Promise<unknown> = Promise.resolve();
  const probe = () => {
    // No error handling is needed: a client that cannot be reached is listed as not ready.
    void clients.refresh();
    clock.after(PROBE_EVERY_MS, probe);
  };
  return {
    knowledge,
    clients,
    machine,
    resolveClient(member) {
      const { client_resolved, model_resolved } = clients.resolve(member);
      return { client_resolved, model_resolved };
    },
    beginProbing() {
      const limit = new Promise<void>((resolve) => void systemClock.after(FIRST_PROBE_MS, resolve));
      firstProbe = Promise.race([clients.refresh(), limit]);
    },
    async keepProbing() {
      await firstProbe;
      clock.after(PROBE_EVERY_MS, probe);
    },
  };
}

/** Composes the operator's choice of what runs the members, and its tests. */
export const composeOwnClientSetup = (
  { app, bus, clock, warn, folder }: Core,
  { clients, machine }: ClientsArea,
  { team }: { team: Pick<Team, 'patch'> },
): Promise<ClientSetupArea> =>
  composeClientSetup({
    ...{ app, bus, clock, warn, clients, credentials: folder.credentials },
    ...{ create: machine.create, findProgram: machine.findProgram },
    setMember: async (id, client) => void (await team.patch(id, { client })),
  });
