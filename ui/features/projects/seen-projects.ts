import type { RunningProject } from '../../../daemon/contract/projects.js';

/** A project of this user, and when its daemon was last seen to run: undefined while it does. */
export interface SeenProject extends RunningProject {
  seenAt: number | undefined;
}

/** The projects that run now, and those that this page has seen run before, by name. `heardAt` is when the earlier ones were listed. */
export function withSeen(
  before: readonly SeenProject[],
  now: readonly RunningProject[],
  heardAt: number,
): SeenProject[] {
  const roots = new Set(now.map(({ root }) => root));
  const gone = before
    .filter(({ root, current }) => !roots.has(root) && !current)
    .map((project) => ({ ...project, seenAt: project.seenAt ?? heardAt }));
  const seen = [...now.map((project) => ({ ...project, seenAt: undefined })), ...gone];
  return seen.sort((a, b) => a.name.localeCompare(b.name) || a.root.localeCompare(b.root));
}
