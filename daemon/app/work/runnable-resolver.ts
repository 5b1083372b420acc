import type { Clients } from '../../features/clients/clients.js';
import { getTypePrompt } from '../../features/conversations/agent-types.js';
import type { ConversationRow } from '../../features/conversations/conversations-store.js';
import type { TurnRunsParts } from '../../features/conversations/turn-runs.js';
import type { Team } from '../../features/team/team.js';

/** Tools and limits of the plain agent types, which have no member file to define them. */
const PLAIN_TOOLS = ['read', 'search', 'edit', 'execute', 'web', 'todo', 'ask'] as const;
const PLAIN_LIMITS = { turns: 30, minutes: 10 };

/** Resolves the member, client and model that would run a conversation at present. */
export const runnableResolver =
  (team: Team, clients: Clients): TurnRunsParts['resolve'] =>
  (row: ConversationRow) => {
    const member = row.member === null ? undefined : team.serving(row.member);
    if (row.member !== null && !member) return undefined;
    const id = member?.id ?? row.agent_type;
    const wanted = {
      client: row.client ?? member?.client ?? 'auto',
      model: row.model ?? member?.model ?? 'strongest',
      effort: row.effort ?? member?.effort ?? 'default',
      tools: member?.tools,
      agent_type: row.member === null ? row.agent_type : member?.agent_type,
    };
    const resolution = clients.resolve(wanted);
    return {
      ...resolution,
      effort_resolved: wanted.effort,
      revision: member?.revision ?? '',
      isolation: member?.isolation,
      key: member?.kind === 'singleton' ? `singleton ${id}` : row.conv,
      member: {
        id,
        name: member?.name ?? id,
        body: member?.body ?? getTypePrompt(row.agent_type),
        model: resolution.model_resolved,
        effort: wanted.effort,
        tools: member?.tools ?? PLAIN_TOOLS,
        refs: member?.refs ?? [],
        limits: member?.limits ?? PLAIN_LIMITS,
      },
    };
  };
