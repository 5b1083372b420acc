import { randomUUID } from 'node:crypto';
import { a2aRoutes } from '../features/a2a/a2a-routes.js';
import { PushConfigsStore } from '../features/a2a/push-configs-store.js';
import { PushDelivery, type PushDeliveryParts } from '../features/a2a/push-delivery.js';
import { PushNotifications } from '../features/a2a/push-notifications.js';
import { PushSecrets } from '../features/a2a/push-secrets.js';
import type { AgentHost } from '../features/agent-host/agent-host.js';
import type { Asks } from '../features/asks/asks.js';
import { systemResolve } from '../http/outbound/outbound-call.js';
import { OutboundExchange } from '../http/outbound/outbound-exchange.js';
import { inCredentials } from '../private/private-names.js';
import { SecretFile } from '../storage/files/secret-file.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

/** Composes A2A for the exposed members: routes and push notifications. The protocol code is loaded on first use. */
export async function composeA2a(
  core: Core,
  { exposure, findExposed }: TeamArea,
  asks: Asks,
  host: AgentHost,
): Promise<PushNotifications> {
  const { app, config, database, folder, bus, clock, wrong, address, mayWriteSecrets, warn, logError } = core;
  const protocol = () => import('../features/a2a/a2a-protocol.js');
  const loopback = () => {
    // Excludes this daemon itself, since it would treat the call as made by its operator.
    const { port } = new URL(address());
    return new Set(config.loopbackEndpoints.filter((endpoint) => !endpoint.endsWith(`:${port}`)));
  };
  const store = new PushConfigsStore(database);
  const secrets = new PushSecrets(new SecretFile(inCredentials(folder.credentials, 'a2a-push.json')), mayWriteSecrets);
  const exchange = new OutboundExchange({ clock, loopback });
  const body: PushDeliveryParts['body'] = async (...task) => (await protocol()).notification(...task);
  const delivery = new PushDelivery({ store, secrets, exchange, clock, body, warn });
  const pushes = new PushNotifications({ asks, store, secrets, delivery, clock, loopback, resolve: systemResolve });
  exposure.onRevoked((member) => {
    pushes
      .forgetMember(member)
      .catch((error: unknown) => logError(error, 'push notifications could not be forgotten', { member }));
  });
  const running = (member: string) => {
    const { client_resolved: client = '', model_resolved: model = '' } = findExposed(member) ?? {};
    return { client, model };
  };
  const onFault = (error: unknown) => {
    const id = randomUUID();
    logError(error, 'an A2A call failed', { id });
    return id;
  };
  const tasks = { asks, bus, clock, pushes, running, onFault };
  await app.register(a2aRoutes, { host, exposure, wrong, clock, protocol, tasks });
  return pushes;
}
