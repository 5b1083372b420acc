import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { Flag } from '../../components/text/flag.js';
import { Icon } from '../../components/text/icon.js';
import { agentsNamedQuery } from '../../features/agents/agents-queries.js';
import type { Command, Commands } from './command.js';

/** Returns the hub's agents with a matching name, and the search for agents by skill. */
export function useAgentCommands(text: string): Commands & { search: readonly Command[] } {
  const navigate = useNavigate();
  const words = text.trim();
  const settled = useDeferredValue(words);
  const { data: agents, isFetching } = useQuery({
    ...agentsNamedQuery(settled),
    enabled: settled.length > 1,
    placeholderData: keepPreviousData,
  });
  const commands = useMemo(() => {
    if (words === '') return { known: [], search: [] };
    const known = (agents ?? []).map(
      ({ agent_id, agent_card, description, online }): Command => ({
        group: 'Agents',
        id: `a-${agent_id}`,
        name: agent_id,
        words: agent_card?.description ?? description ?? '',
        more: online ? 'online' : 'offline',
        mark: <Flag id={agent_id} size={20} isRaised={online} />,
        run: () => void navigate({ to: '/agents/$id', params: { id: agent_id } }),
      }),
    );
    const search: Command = {
      group: 'Agent search',
      id: 'find-words',
      name: `Find agents for “${words}”`,
      mark: <Icon name="find" />,
      run: () => void navigate({ to: '/find', search: { q: words } }),
    };
    return { known, search: [search] };
  }, [agents, words, navigate]);
  return { ...commands, isComing: words.length > 1 && (settled !== words || isFetching) };
}
