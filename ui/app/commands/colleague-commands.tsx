import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Icon } from '../../components/text/icon.js';
import { networkAgentsQuery } from '../../features/network/colleague-queries.js';
import type { Command, Commands } from './command.js';

/**
 * Returns the members that other daemons of the network share, each with what asks it. Found by any part of its name.
 */
export function useColleagueCommands(text: string): Commands {
  const navigate = useNavigate();
  const { data: agents = [], isLoading } = useQuery(networkAgentsQuery());
  const known = useMemo(() => {
    if (text.trim() === '') return [];
    return agents
      .filter(({ self, problem }) => !self && problem === null)
      .map(
        ({ ref, name, description, daemon, daemon_name, member }): Command => ({
          group: 'Members of the network',
          id: `c-${daemon.slice(0, 8)}-${member}`,
          name: `Ask ${ref}`,
          alias: `@${ref}`,
          words: `colleague network member ${name} ${daemon_name} ${description}`,
          more: daemon_name,
          mark: <Icon name="network" />,
          run: () => void navigate({ to: '/network', search: { ask: ref } }),
        }),
      );
  }, [agents, text, navigate]);
  return { known, isComing: isLoading };
}
