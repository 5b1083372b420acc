import type { RunningProject } from '../../../daemon/contract/projects.js';

/** A project of this user. `seenAt` is when its daemon was last seen running; undefined while it runs. */
export interface SeenProject extends RunningProject {
  seenAt: number | undefined;
}

/**
 * Merges the running projects with those seen running earlier by this page, sorted by name. `lastActivityAt` is when
 * the earlier ones were listed.
 */
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
