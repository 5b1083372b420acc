import { randomUUID } from 'node:crypto';
import type { Bus } from './events/bus.js';
import { type A2aRoutesParts, a2aRoutes } from './features/a2a/a2a-routes.js';
import { PushConfigsStore } from './features/a2a/push-configs-store.js';
import { PushDelivery } from './features/a2a/push-delivery.js';
import { PushNotifications } from './features/a2a/push-notifications.js';
import { PushSecrets } from './features/a2a/push-secrets.js';
import type { Asks } from './features/asks/asks.js';
import type { Exposure } from './features/exposure/exposure.js';
import { systemResolve } from './http/outbound-call.js';
import { OutboundExchange } from './http/outbound-exchange.js';
import { inCredentials } from './private/private-names.js';
import type { Database } from './storage/database.js';
import type { MeshFolder } from './storage/mesh-folder.js';
import { SecretFile } from './storage/secret-file.js';

export interface A2aParts extends Pick<A2aRoutesParts, 'app' | 'host' | 'wrong' | 'clock'> {
  database: Database;
  folder: Pick<MeshFolder, 'credentials'>;
  bus: Bus;
  exposure: Exposure;
  asks: Asks;
  mayWriteSecrets: () => Promise<boolean>;
  /** `host:port` of the loopback endpoints that the machine's configuration lists. */
  loopbackEndpoints: readonly string[];
  /** This daemon's own address, available when it listens. */
  address: () => string;
  /** Returns the client and model that an exposed member would run on. */
  findMember: (id: string) => { client_resolved: string; model_resolved: string } | undefined;
}

export interface A2aSurface {
  /** Resumes the notifications that were not sent before the last daemon ended. */
  start(): Promise<void>;
  stop(): void;
}

/**
 * Composes A2A of the exposed members: its routes and its push notifications. The protocol code is loaded at its first
 * use.
 */
export function composeA2a(parts: A2aParts): A2aSurface {
  const { app, database, folder, bus, clock, exposure, asks, host, wrong, mayWriteSecrets, address, findMember } =
    parts;
  const protocol = () => import('./features/a2a/a2a-protocol.js');
  const warn = (message: string) => app.log.warn(message);
  const loopback = () => {
    // Excludes this daemon itself: a notification to it would be a call in its operator's name.
    const { port } = new URL(address());
    return new Set(parts.loopbackEndpoints.filter((endpoint) => !endpoint.endsWith(`:${port}`)));
  };
  const store = new PushConfigsStore(database);
  const secrets = new PushSecrets(new SecretFile(inCredentials(folder.credentials, 'a2a-push.json')), mayWriteSecrets);
  const exchange = new OutboundExchange({ clock, loopback });
  const body = async (...task: Parameters<Awaited<ReturnType<typeof protocol>>['notification']>) =>
    (await protocol()).notification(...task);
  const delivery = new PushDelivery({ store, secrets, exchange, clock, body, warn });
  const pushes = new PushNotifications({ asks, store, secrets, delivery, clock, loopback, resolve: systemResolve });
  exposure.onRevoked((member) => {
    pushes
      .forgetMember(member)
      .catch((error: unknown) => app.log.error({ err: error, member }, 'push notifications could not be forgotten'));
  });
  const running = (member: string) => {
    const { client_resolved: client = '', model_resolved: model = '' } = findMember(member) ?? {};
    return { client, model };
  };
  const onFault = (error: unknown) => {
    const id = randomUUID();
    app.log.error({ err: error, id }, 'an A2A call failed');
    return id;
  };
  a2aRoutes({ app, host, exposure, wrong, clock, protocol, tasks: { asks, bus, clock, pushes, running, onFault } });
  return { start: () => pushes.start(), stop: () => pushes.stop() };
}
