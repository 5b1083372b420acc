/** Tools with which a member changes the project, runs programs or gives out work. */
const WORKING_TOOLS: ReadonlySet<string> = new Set(['edit', 'write', 'execute', 'agent']);
/** Agent types whose prompt is about work, for a member that declares no tools and a conversation without a member. */
const WORKING_TYPES: ReadonlySet<string> = new Set(['deploy', 'db', 'testing', 'roadmap']);

/**
 * Whether a member works on the project and does not only answer. Declared tools decide; without them the agent type
 * does. What such a member is given is a task, which a search result is no answer to.
 */
export function isWorkingMember(member: { tools?: readonly string[] | undefined; agent_type?: string }): boolean {
  return member.tools
    ? member.tools.some((tool) => WORKING_TOOLS.has(tool))
    : WORKING_TYPES.has(member.agent_type ?? 'custom');
}
