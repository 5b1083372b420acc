import { randomBytes } from 'node:crypto';
import * as errorsContract from '../../contract/errors.js';
import type { MeshEvent } from '../../contract/events.js';
import * as agentsContract from '../../contract/network/agents.js';
import * as hubContract from '../../contract/network/hub.js';
import { composeHub, type HubArea } from '../../features/hub/compose-hub.js';
import type { Hub } from '../../features/hub/hub.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import { PartnerKeys } from '../../http/callers/partner-key.js';
import { AgentTokens } from '../../lib/crypto/agent-token.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Database } from '../../storage/database/database.js';
import { loadKey } from '../../storage/files/key-file.js';
import { type Caller, caller } from '../caller.js';
import { FakeClock } from '../fake-clock.js';
import { temporaryFolder } from '../temporary-folder.js';
import { serverWith } from './server-with.js';

export interface HubApp {
  root: string;
  address: string;
  clock: FakeClock;
  database: Database;
  surface: HubArea;
  hub: Hub;
  events: MeshEvent[];
  /** The commands that were submitted, refused ones too. */
  commands: readonly Command[];
  log: string[];
  call: Caller;
  stop(): Promise<void>;
}

/**
 * Starts the hub alone on a free port, over a database in a temporary folder, with a fake clock. Stopped when the test
 * ends.
 */
export async function hubApp({
  root = temporaryFolder(),
  clock = new FakeClock(),
  partnerKeys = [],
}: {
  root?: string;
  clock?: FakeClock;
  partnerKeys?: readonly string[];
} = {}): Promise<HubApp> {
  const log: string[] = [];
  const contract = [errorsContract, agentsContract, hubContract];
  const { surface, ...server } = await serverWith({ root, clock, contract, log }, async (parts) => {
    const key = await loadKey(
      root,
      'hub.key',
      () => randomBytes(32),
      async () => true,
    );
    const wrong = new WrongCredentials(clock);
    const tokens = new AgentTokens('hub', key, clock);
    return composeHub({ ...parts, tokens, clock, partners: new PartnerKeys(partnerKeys, wrong), wrong });
  });
  return { ...server, surface, hub: surface.hub, log, call: caller(server.address) };
}
