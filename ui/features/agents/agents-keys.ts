/** Ids are one without regard to case. */
const folded = (agentId: string) => agentId.toLowerCase();

export const agentsKeys = {
  /** Everything that is read of one agent from this daemon. */
  one: (agentId: string) => ['agent', folded(agentId)] as const,
  /** What the agent itself was asked for: no event makes the daemon call out again. */
  publicCard: (agentId: string) => ['public-card', folded(agentId)] as const,
  named: (words: string) => ['agents', 'named', words] as const,
  registrations: ['registrations'] as const,
  searches: ['search'] as const,
};
