import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { Agreements } from '../../features/exposure/agreements.js';
import { Exposure } from '../../features/exposure/exposure.js';
import { FormerTokens } from '../../features/exposure/former-tokens.js';
import { TokenStore } from '../../features/exposure/token-store.js';
import { Team } from '../../features/team/team.js';
import { TeamStore } from '../../features/team/team-store.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { FakeClock } from '../fake-clock.js';
import { putFiles, temporaryFolder } from '../temporary-folder.js';

export const OPEN = '---\nexposure: external\n---\n\nYou answer.\n';
export const SHUT = 'You keep quiet.\n';

export interface TestExposure {
  team: Team;
  clock: FakeClock;
  exposure: Exposure;
  root: string;
  events: MeshEvent[];
  warnings: string[];
  world: { version: number; tracked: string[]; testsHold: string | undefined };
  tokens(): Record<string, string>;
  event(type: MeshEvent['type']): Promise<MeshEvent>;
}

/**
 * Creates a team with its exposure over a folder. `agrees` exposes every member that waits for the operator's agreement
 * after the start. Without `hasTests` nothing asks for the tests of members.
 */
export async function createExposure({
  root = temporaryFolder(),
  files = { guide: OPEN, clerk: SHUT },
  version = 30,
  tracked = [],
  agrees = true,
  hasTests = true,
}: {
  root?: string;
  files?: Record<string, string>;
  version?: number;
  tracked?: string[];
  agrees?: boolean;
  hasTests?: boolean;
} = {}): Promise<TestExposure> {
  putFiles(root, Object.fromEntries(Object.entries(files).map(([id, text]) => [`.mesh/team/${id}.md`, text])));
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => events.push(event));
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const world: TestExposure['world'] = { version, tracked, testsHold: undefined };
  const ports = { clock, standardVersion: () => world.version, warn };
  const team = new Team(new TeamStore(new MarkdownFolder(root, ['.mesh', 'team'], warn)), bus, {
    ...ports,
    committedText: async () => null,
    removed: { keep: async (id) => `kept/${id}.md`, list: async () => [], read: async () => undefined },
    resolveClient: () => ({ client_resolved: 'builtin', model_resolved: 'none' }),
    instances: () => 0,
  });
  const file = join(root, '.mesh/credentials/team-tokens.json');
  const agreements = new Agreements(new SecretFile(join(root, '.mesh/state/exposure.json')));
  const exposure = new Exposure(team, new TokenStore(new SecretFile(file)), agreements, bus, clock, {
    ...ports,
    trackedSecrets: async () => world.tracked,
    formerTokens: new FormerTokens(new SecretFile(join(root, '.mesh/state/former-tokens.json'))),
  });
  if (hasTests) exposure.holdForTests({ findHold: () => world.testsHold, look: async () => undefined });
  onTestFinished(() => team.close());
  await team.start();
  await exposure.start();
  if (agrees) for (const id of exposure.waitingMembers()) await exposure.expose(id);
  return {
    team,
    clock,
    exposure,
    root,
    events,
    warnings,
    world,
    tokens: () => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}),
    event: (type) =>
      new Promise((resolve) => {
        bus.watch((event) => {
          if (event.type === type) resolve(event);
        });
      }),
  };
}
