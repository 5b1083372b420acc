import { join } from 'node:path';
import { Roadmap } from '../features/roadmap/roadmap.js';
import { roadmapRoutes } from '../features/roadmap/roadmap-routes.js';
import type { MemberVersion } from '../features/team/member-file.js';
import { atomicWrite } from '../storage/files/atomic-write.js';
import { readText } from '../storage/mesh-folder.js';
import type { ClientsArea } from './compose-clients.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

/** Composes the roadmap queue, which is stored in the project's `.mesh/roadmap.md`. */
export async function composeRoadmap(
  { app, bus, folder, warn }: Core,
  { clients }: ClientsArea,
  { team }: TeamArea,
  { conversations, messages, runs }: ConversationsArea,
): Promise<void> {
  const path = join(folder.path, 'roadmap.md');
  const file = {
    relativePath: '.mesh/roadmap.md',
    read: () => readText(path),
    write: (text: string) => atomicWrite(path, text, 0o644),
  };
  const canWork = (member: MemberVersion) => {
    const { client_resolved, problem } = clients.resolve(member);
    return problem === undefined && client_resolved !== 'builtin';
  };
  const roadmap = new Roadmap({ file, team, conversations, messages, runs, bus, canWork, warn });
  await app.register(roadmapRoutes, { roadmap });
}
