import type { Bus } from '../../../events/bus.js';
import type { App } from '../../../http/route-types.js';
import { getErrorMessage } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import { inCredentials } from '../../../private/private-names.js';
import { JsonFile } from '../../../storage/files/json-file.js';
import { JsonStore } from '../../../storage/files/json-store.js';
import type { Clients } from '../clients.js';
import { type ChosenClient, parseSettings } from './client-settings.js';
import { ClientSetup, type CreateClients, type FindProgram } from './client-setup.js';
import { ClientTests } from './client-tests.js';
import { clientsRoutes } from './clients-routes.js';

interface SetupPorts {
  app: App;
  bus: Bus;
  clock: Clock;
  /** The project's `.mesh/credentials`. */
  credentials: string;
  clients: Clients;
  create: CreateClients;
  findProgram: FindProgram;
  setMember: (id: string, client: ChosenClient) => Promise<void>;
  warn: (message: string) => void;
}

export interface ClientSetupArea {
  /** Reads the operator's choice and creates the clients with it. */
  start(): Promise<void>;
  /** Ends the running test of a client. */
  stop(): Promise<void>;
}

/** Composes the choice and the tests of what runs the members, with their routes. */
export async function composeClientSetup(ports: SetupPorts): Promise<ClientSetupArea> {
  const { app, bus, clock, credentials, warn, ...parts } = ports;
  const settings = new JsonStore(new JsonFile(inCredentials(credentials, 'clients.json'), 0o600), {
    parse: parseSettings,
    stringify: (data) => ({ ...data }),
  });
  const tests = new ClientTests(clock, () => bus.publish('clients.updated', {}));
  const setup = new ClientSetup({ ...parts, settings, tests });
  await app.register(clientsRoutes, { clients: parts.clients, setup, tests });
  return {
    // With a damaged file the environment decides, and no change can be saved until the file is mended.
    start: () =>
      setup.load().catch((error: unknown) => warn(`The chosen model is not used: ${getErrorMessage(error)}`)),
    stop: () => tests.stop(),
  };
}
