import { useQuery } from '@tanstack/react-query';
import { type UseNavigateResult, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { RequestRow } from '../../../daemon/contract/asks.js';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import type { Preferences, PreferencesPatch } from '../../../daemon/contract/system.js';
import type { Member } from '../../../daemon/contract/team.js';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Flag } from '../../components/text/flag.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { savedClustersQuery } from '../../features/clusters/clusters-list.js';
import { getDashboardUrl, projectsQuery } from '../../features/projects/projects-queries.js';
import type { SeenProject } from '../../features/projects/seen-projects.js';
import { usePatchPreferences } from '../../features/system/system-mutations.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { isOpen } from '../../features/team/is-open.js';
import { teamQuery } from '../../features/team/team-queries.js';
import type { Command, Commands } from './command.js';

type Navigate = UseNavigateResult<string>;

const PAGES = [
  { to: '/', id: 'desk', name: 'Home', more: 'g d' },
  { to: '/team', id: 'team', name: 'Team', more: 'g t', words: 'roster members' },
  { to: '/talk', id: 'talk', name: 'Talk', more: 'g c', words: 'conversations chat' },
  { to: '/roadmap', id: 'roadmap', name: 'Roadmap', more: 'g m', words: 'tasks plan' },
  { to: '/requests', id: 'requests', name: 'Requests', more: 'g r', words: 'asks' },
  { to: '/rooms', id: 'rooms', name: 'Clusters', more: 'g o', words: 'wall clusters boards commons' },
  { to: '/map', id: 'map', name: 'Map', more: 'g p', words: 'world places posts near' },
  { to: '/find', id: 'find', name: 'Agent search', more: 'g f', words: 'find agents oracle' },
  {
    to: '/ledger',
    id: 'ledger',
    name: 'Ledger',
    more: 'g l',
    words: 'payments wallets caps balances receipts money lamports',
  },
  { to: '/system', id: 'system', name: 'System', more: 'g s', words: 'settings health security log about' },
] as const;
const THEMES = ['light', 'dark', 'system'] as const;

/** Returns pages, actions, and the operator's own members, clusters, recent requests and other projects. */
export function useOwnCommands(onShortcuts: () => void): Commands {
  const navigate = useNavigate();
  const { data: team, isLoading: isTeamComing } = useQuery(teamQuery());
  const { data: requests, isLoading: areRequestsComing } = useQuery(recentRequestsQuery());
  const { data: savedClusters } = useQuery(savedClustersQuery());
  const { data: projects } = useQuery(projectsQuery());
  const { data: preferences } = useQuery(preferencesQuery());
  const { mutate: patchPreferences } = usePatchPreferences();
  const known = useMemo(
    () => [
      ...createPageCommands(navigate),
      ...createSystemCommands(navigate),
      ...createMemberCommands(team?.members ?? [], navigate),
      ...createClusterCommands(savedClusters ?? [], navigate),
      ...createProjectCommands(projects ?? []),
      ...createStartCommands(navigate),
      ...(preferences ? createPreferenceCommands(preferences, patchPreferences) : []),
      ...createHelpCommands(navigate, onShortcuts),
      ...createRequestCommands(requests ?? [], navigate),
    ],
    [navigate, team, requests, savedClusters, projects, preferences, patchPreferences, onShortcuts],
  );
  return { known, isComing: isTeamComing || areRequestsComing };
}

function createPageCommands(navigate: Navigate): Command[] {
  return PAGES.map(
    ({ to, ...page }): Command => ({
      group: 'Pages',
      ...page,
      run: () => void navigate({ to }),
    }),
  );
}

/** The parts of System. */
const SYSTEM = [
  { part: 'settings', name: 'Settings', words: 'preferences theme rows shortcuts clients models notifications' },
  { part: 'health', name: 'Health', words: 'doctor daemon index registrations memory' },
  { part: 'security', name: 'Security', words: 'tokens rotate approvals expose adopt users' },
  { part: 'about', name: 'About', words: 'help versions licences' },
] as const;

function createSystemCommands(navigate: Navigate): Command[] {
  return SYSTEM.map(
    ({ part, name, words }): Command => ({
      group: 'Pages',
      id: `system-${part}`,
      name,
      words: `system ${words}`,
      run: () => void navigate({ to: '/system/$part', params: { part } }),
    }),
  );
}

function createMemberCommands(members: readonly Member[], navigate: Navigate): Command[] {
  return members.map((member): Command => {
    const isExposed = isOpen(member);
    return {
      group: 'Members',
      id: `m-${member.id}`,
      name: member.name,
      alias: member.id,
      words: member.description,
      more: isExposed ? 'exposed' : member.id,
      mark: <Flag id={member.id} size={20} isRaised={member.instances > 0} isExposed={isExposed} />,
      run: () => void navigate({ to: '/team/$id', params: { id: member.id } }),
    };
  });
}

function createClusterCommands(savedClusters: readonly SavedCluster[], navigate: Navigate): Command[] {
  return savedClusters.map(
    ({ cluster_id, name, topic, slug, online, unread }): Command => ({
      group: 'Clusters',
      id: `room-${cluster_id}`,
      name,
      alias: slug ?? cluster_id,
      words: topic,
      more: unread > 0 ? `${unread} unread` : (slug ?? 'private'),
      mark: <Flag id={cluster_id} size={20} isRaised={online > 0} isExposed={slug !== null} />,
      run: () => void navigate({ to: '/rooms/$id', params: { id: cluster_id } }),
    }),
  );
}

/** Commands for the other projects whose daemon runs. */
function createProjectCommands(projects: readonly SeenProject[]): Command[] {
  const running = projects.filter(({ current, seenAt }) => !current && seenAt === undefined);
  return running.map((project): Command => {
    const { port } = new URL(project.address);
    return {
      group: 'Projects',
      id: `project-${port}`,
      name: `Go to project ${project.name}`,
      alias: project.name,
      words: project.root,
      more: `port ${port}`,
      mark: <Flag id={project.name} size={20} isRaised />,
      run: () => window.location.assign(getDashboardUrl(project)),
    };
  });
}

/** Commands that create something, or bring members in and out. */
function createStartCommands(navigate: Navigate): Command[] {
  return [
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
  ];
}

/** Commands that switch to the themes and the density not in use. */
function createPreferenceCommands(preferences: Preferences, patch: (changed: PreferencesPatch) => void): Command[] {
  const density = preferences.density === 'compact' ? 'comfortable' : 'compact';
  const themes = THEMES.filter((theme) => theme !== preferences.theme).map(
    (theme): Command => ({
      group: 'Actions',
      id: `theme-${theme}`,
      name: theme === 'system' ? 'Theme: as the system' : `Theme: ${theme}`,
      run: () => patch({ theme }),
    }),
  );
  return [
    ...themes,
    {
      group: 'Actions',
      id: 'density',
      name: `Rows: ${density}`,
      words: 'density',
      run: () => patch({ density }),
    },
  ];
}

/** The log, the downloads and the keyboard shortcuts. */
function createHelpCommands(navigate: Navigate, onShortcuts: () => void): Command[] {
  return [
    {
      group: 'Actions',
      id: 'log',
      name: 'Show the log',
      words: 'daemon errors trouble',
      run: () => void navigate({ to: '/system/$part', params: { part: 'log' }, search: { log: 'warn' } }),
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
    { group: 'Actions', id: 'keys', name: 'Keyboard shortcuts', more: '?', run: onShortcuts },
  ];
}

function createRequestCommands(requests: readonly RequestRow[], navigate: Navigate): Command[] {
  return requests.map(
    (request): Command => ({
      group: 'Requests',
      id: request.request_id,
      name: request.question,
      alias: request.request_id,
      words: request.member,
      more: request.member,
      mark: <StatusMark word={statusWord(request.status, request.error?.code)} hidesWord />,
      run: () => void navigate({ to: '/requests/$rid', params: { rid: request.request_id } }),
    }),
  );
}
