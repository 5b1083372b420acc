import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Flag } from '../../components/flag.js';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { savedClustersQuery } from '../../features/clusters/clusters-list.js';
import { getDashboardUrl, projectsQuery } from '../../features/projects/projects-queries.js';
import { usePatchPreferences } from '../../features/system/system-mutations.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { isOpen } from '../../features/team/is-open.js';
import { teamQuery } from '../../features/team/team-queries.js';
import type { Command, Commands } from './command.js';

/** Returns pages, actions, and the operator's own members, clusters, recent requests and other projects. */
export function useOwnCommands(onShortcuts: () => void): Commands {
  const navigate = useNavigate();
  const { data: team, isLoading: isTeamComing } = useQuery(teamQuery());
  const { data: requests, isLoading: areRequestsComing } = useQuery(recentRequestsQuery());
  const { data: savedClusters } = useQuery(savedClustersQuery());
  const { data: projects } = useQuery(projectsQuery());
  const { data: preferences } = useQuery(preferencesQuery());
  const { mutate: patchPreferences } = usePatchPreferences();
  const known = useMemo(() => {
    const commands: Command[] = [
      { group: 'Pages', id: 'desk', name: 'Home', more: 'g d', run: () => void navigate({ to: '/' }) },
      {
        group: 'Pages',
        id: 'team',
        name: 'Team',
        more: 'g t',
        words: 'roster members',
        run: () => void navigate({ to: '/team' }),
      },
      {
        group: 'Pages',
        id: 'talk',
        name: 'Talk',
        more: 'g c',
        words: 'conversations chat',
        run: () => void navigate({ to: '/talk' }),
      },
      {
        group: 'Pages',
        id: 'roadmap',
        name: 'Roadmap',
        more: 'g m',
        words: 'tasks plan',
        run: () => void navigate({ to: '/roadmap' }),
      },
      {
        group: 'Pages',
        id: 'requests',
        name: 'Requests',
        more: 'g r',
        words: 'asks',
        run: () => void navigate({ to: '/requests' }),
      },
      {
        group: 'Pages',
        id: 'rooms',
        name: 'Clusters',
        more: 'g o',
        words: 'wall clusters boards commons',
        run: () => void navigate({ to: '/rooms' }),
      },
      {
        group: 'Pages',
        id: 'map',
        name: 'Map',
        more: 'g p',
        words: 'world places posts near',
        run: () => void navigate({ to: '/map' }),
      },
      {
        group: 'Pages',
        id: 'find',
        name: 'Agent search',
        more: 'g f',
        words: 'find agents oracle',
        run: () => void navigate({ to: '/find' }),
      },
      {
        group: 'Pages',
        id: 'ledger',
        name: 'Ledger',
        more: 'g l',
        words: 'payments wallets caps balances receipts money lamports',
        run: () => void navigate({ to: '/ledger' }),
      },
      {
        group: 'Pages',
        id: 'system',
        name: 'System',
        more: 'g s',
        words: 'doctor health preferences tokens clients',
        run: () => void navigate({ to: '/system' }),
      },
    ];
    for (const member of team?.members ?? []) {
      const isExposed = isOpen(member);
      commands.push({
        group: 'Members',
        id: `m-${member.id}`,
        name: member.name,
        alias: member.id,
        words: member.description,
        more: isExposed ? 'exposed' : member.id,
        mark: <Flag id={member.id} size={20} isRaised={member.instances > 0} isExposed={isExposed} />,
        run: () => void navigate({ to: '/team/$id', params: { id: member.id } }),
      });
    }
    for (const { cluster_id, name, topic, slug, online, unread } of savedClusters ?? []) {
      commands.push({
        group: 'Clusters',
        id: `room-${cluster_id}`,
        name,
        alias: slug ?? cluster_id,
        words: topic,
        more: unread > 0 ? `${unread} unread` : (slug ?? 'private'),
        mark: <Flag id={cluster_id} size={20} isRaised={online > 0} isExposed={slug !== null} />,
        run: () => void navigate({ to: '/rooms/$id', params: { id: cluster_id } }),
      });
    }
    for (const project of projects ?? []) {
      if (project.current || project.seenAt !== undefined) continue;
      commands.push({
        group: 'Projects',
        id: `project-${new URL(project.address).port}`,
        name: `Go to project ${project.name}`,
        alias: project.name,
        words: project.root,
        more: `port ${new URL(project.address).port}`,
        mark: <Flag id={project.name} size={20} isRaised />,
        run: () => window.location.assign(getDashboardUrl(project)),
      });
    }
    commands.push(
      {
        group: 'Actions',
        id: 'room-new',
        name: 'New cluster',
        words: 'create cluster wall',
        run: () => void navigate({ to: '/rooms', search: { make: 'new' } }),
      },
      {
        group: 'Actions',
        id: 'room-join',
        name: 'Join a cluster',
        words: 'paste invite cluster token',
        run: () => void navigate({ to: '/rooms', search: { make: 'join' } }),
      },
      {
        group: 'Actions',
        id: 'begin',
        name: 'New conversation',
        words: 'talk chat',
        run: () => void navigate({ to: '/talk', search: { make: 'new' } }),
      },
      {
        group: 'Actions',
        id: 'new',
        name: 'New member',
        words: 'create add',
        run: () => void navigate({ to: '/team', search: { make: 'form' } }),
      },
      {
        group: 'Actions',
        id: 'draft',
        name: 'Generate a member from a description',
        words: 'create new',
        run: () => void navigate({ to: '/team', search: { make: 'draft' } }),
      },
      {
        group: 'Actions',
        id: 'import',
        name: 'Import agents',
        words: 'bring claude copilot opencode gemini codex cursor members',
        run: () => void navigate({ to: '/import' }),
      },
      {
        group: 'Actions',
        id: 'export',
        name: 'Export members',
        words: 'write claude copilot opencode gemini codex cursor agents files',
        run: () => void navigate({ to: '/export' }),
      },
    );
    for (const theme of ['light', 'dark', 'system'] as const) {
      if (preferences && preferences.theme !== theme)
        commands.push({
          group: 'Actions',
          id: `theme-${theme}`,
          name: theme === 'system' ? 'Theme: as the system' : `Theme: ${theme}`,
          run: () => patchPreferences({ theme }),
        });
    }
    if (preferences) {
      const density = preferences.density === 'compact' ? 'comfortable' : 'compact';
      commands.push({
        group: 'Actions',
        id: 'density',
        name: `Rows: ${density}`,
        words: 'density',
        run: () => patchPreferences({ density }),
      });
    }
    commands.push(
      {
        group: 'Actions',
        id: 'log',
        name: 'Show the log',
        words: 'daemon errors trouble',
        run: () => void navigate({ to: '/system', search: { log: 'warn' } }),
      },
      {
        group: 'Actions',
        id: 'bundle',
        name: 'Download a support bundle',
        words: 'help trouble report',
        run: () => window.location.assign('/support-bundle'),
      },
      {
        group: 'Actions',
        id: 'csv',
        name: 'Export the ledger as CSV',
        words: 'download payments',
        run: () => window.location.assign('/ledger/export.csv'),
      },
    );
    commands.push({ group: 'Actions', id: 'keys', name: 'Keyboard shortcuts', more: '?', run: onShortcuts });
    for (const request of requests ?? []) {
      commands.push({
        group: 'Requests',
        id: request.request_id,
        name: request.question,
        alias: request.request_id,
        words: request.member,
        more: request.member,
        mark: <StatusMark word={statusWord(request.status, request.error?.code)} hidesWord />,
        run: () => void navigate({ to: '/requests/$rid', params: { rid: request.request_id } }),
      });
    }
    return commands;
  }, [navigate, team, requests, savedClusters, projects, preferences, patchPreferences, onShortcuts]);
  return { known, isComing: isTeamComing || areRequestsComing };
}
