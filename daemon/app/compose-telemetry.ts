import { promisify } from 'node:util';
import { AskStore } from '../features/asks/ask-store.js';
import type { Asks } from '../features/asks/asks.js';
import { AskedTurnsStore } from '../features/conversations/asked-turns-store.js';
import { TurnsStore } from '../features/conversations/turns-store.js';
import { Counters } from '../features/telemetry/counters.js';
import { writeDaemonMetrics } from '../features/telemetry/daemon-metrics.js';
import { LoopDelay } from '../features/telemetry/loop-delay.js';
import { metricsRoutes } from '../features/telemetry/metrics-routes.js';
import { Telemetry } from '../features/telemetry/telemetry.js';
import { telemetryRoutes } from '../features/telemetry/telemetry-routes.js';
import { parseTelemetry, stringifyTelemetry } from '../features/telemetry/telemetry-settings.js';
import { TurnRecorder } from '../features/telemetry/turn-recorder.js';
import type { Usage } from '../features/usage/usage.js';
import { sha256Hex } from '../lib/crypto/digests.js';
import { inCredentials } from '../private/private-names.js';
import { JsonStore } from '../storage/files/json-store.js';
import { SecretFile } from '../storage/files/secret-file.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { DashboardArea } from './compose-dashboard.js';
import type { Server } from './compose-server.js';
import type { Core } from './core.js';

const STORE_BYTES = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()';

interface TelemetryParts {
  asks: Asks;
  conversations: ConversationsArea;
  usage: Usage;
  dashboard: DashboardArea;
}

interface TelemetryArea {
  telemetry: Telemetry;
  loopDelay: LoopDelay;
}

function createTelemetry(core: Core, { runs, findAgent }: ConversationsArea): Telemetry {
  const { address, bus, clock, config, database, folder, mayWriteSecrets, project, version, warn, logError } = core;
  const [turns, asks, asked] = [new TurnsStore(database), new AskStore(database), new AskedTurnsStore(database)];
  const recorder = new TurnRecorder({
    findTurn: (turn) => turns.find(turn),
    findAsk: (turn) => asks.findByTurn(turn),
    findParent: (turn) => asked.findWaiting(turn),
    findAgent,
  });
  const telemetry = new Telemetry({
    ...{ recorder, address, mayWriteSecrets, bus, clock, warn },
    store: new JsonStore(new SecretFile(inCredentials(folder.credentials, 'telemetry.json')), {
      parse: parseTelemetry,
      stringify: stringifyTelemetry,
    }),
    openOtlp: async () => {
      const { Otlp } = await import('../features/telemetry/otlp.js');
      return new Otlp({ version, project, instance: sha256Hex(config.root).slice(0, 32) });
    },
    onFault: (error) => logError(error, 'telemetry failed'),
  });
  runs.follow((change, transaction) => telemetry.follow(change, transaction));
  return telemetry;
}

/** Composes telemetry: traces and metrics that are sent to the operator's collector, and those that a Prometheus reads. */
export async function composeTelemetry(
  core: Core,
  server: Pick<Server, 'onAnswered'>,
  { asks, conversations, usage, dashboard }: TelemetryParts,
): Promise<TelemetryArea> {
  const { app, clock, database, started, version } = core;
  const telemetry = createTelemetry(core, conversations);
  const counters = new Counters();
  const loopDelay = new LoopDelay(clock);
  server.onAnswered((request) => {
    counters.countRequest(request);
    telemetry.countRequest(request);
  });
  usage.onRecorded((turn, outcome) => counters.countTurn(turn, outcome));
  await app.register(telemetryRoutes, { telemetry });
  await app.register(metricsRoutes, {
    read: () =>
      writeDaemonMetrics({
        ...{ version, counters, telemetry, loopDelay, startedMs: started.ms },
        storeBytes: () => (database.sql(STORE_BYTES).get() as { bytes: number }).bytes,
        connections: promisify(app.server.getConnections.bind(app.server)),
        eventsSockets: () => dashboard.events.size,
        liveAsks: () => asks.live,
      }),
  });
  return { telemetry, loopDelay };
}
