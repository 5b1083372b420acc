/** Ids of the members of a new project, in their order, as the specification has them. */
export const DEFAULT_MEMBERS = [
  'architect-master',
  'roadmap-orchestrator',
  'developer',
  'api-developer',
  'ui-developer',
  'deployer',
  'ui-reviewer',
  'commit-pr-reviewer',
  'consultant',
];
