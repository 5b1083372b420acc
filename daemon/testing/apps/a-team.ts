import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { Team, type TeamPorts } from '../../features/team/team.js';
import { TeamStore } from '../../features/team/team-store.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { FakeClock } from '../fake-clock.js';
import { temporaryFolder } from '../temporary-folder.js';

interface ATeam {
  team: Team;
  root: string;
  events: MeshEvent[];
  warnings: string[];
  path(id: string): string;
  text(id: string): string;
  /** Resolves with the first event of `type` about `id`, past or future. */
  event(type: MeshEvent['type'], id: string): Promise<MeshEvent>;
}

/**
 * Creates a team over a temporary folder with `files` (id to text). With `seeded` the team creates the folder itself.
 */
export async function aTeam({
  files = {},
  seeded = false,
  ports = {},
}: {
  files?: Record<string, string>;
  seeded?: boolean;
  ports?: Partial<TeamPorts>;
} = {}): Promise<ATeam> {
  const root = temporaryFolder(
    Object.fromEntries(Object.entries(files).map(([id, text]) => [`.mesh/team/${id}.md`, text])),
  );
  if (!seeded) mkdirSync(join(root, '.mesh/team'), { recursive: true });
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => events.push(event));
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const team = new Team(new TeamStore(new MarkdownFolder(root, ['.mesh', 'team'], warn)), bus, {
    clock,
    standardVersion: () => 30,
    committedText: async () => null,
    removed: { keep: async (id) => `kept/${id}.md`, list: async () => [], read: async () => undefined },
    resolveClient: ({ client, model }) => ({
      client_resolved: client === 'auto' ? 'builtin' : client,
      model_resolved: model,
    }),
    instances: () => 0,
    findToken: () => undefined,
    warn,
    ...ports,
  });
  onTestFinished(() => team.close());
  await team.start();
  const path = (id: string) => join(root, '.mesh/team', `${id}.md`);
  return {
    team,
    root,
    events,
    warnings,
    path,
    text: (id) => readFileSync(path(id), 'utf8'),
    event: (type, id) =>
      new Promise((resolve) => {
        const isIt = (event: MeshEvent) => event.type === type && 'id' in event && event.id === id;
        const past = events.find(isIt);
        if (past) return resolve(past);
        bus.watch((event) => {
          if (isIt(event)) resolve(event);
        });
      }),
  };
}

/** Returns type and member of each event. */
export const formatEvents = (events: MeshEvent[]) =>
  events.map((event) => `${event.type} ${'id' in event ? event.id : ''}`);
