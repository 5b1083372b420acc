/** Agent ids are case-insensitive. */
const folded = (agentId: string) => agentId.toLowerCase();

export const agentsKeys = {
  /** Prefix of all queries to this daemon about one agent. */
  one: (agentId: string) => ['agent', folded(agentId)] as const,
  /** The card fetched from the agent itself. No event invalidates it, so that none makes the daemon send a request. */
  publicCard: (agentId: string) => ['public-card', folded(agentId)] as const,
  named: (words: string) => ['agents', 'named', words] as const,
  registrations: ['registrations'] as const,
  searches: ['search'] as const,
};
