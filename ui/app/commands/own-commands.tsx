import { useQuery } from '@tanstack/react-query';
import { type UseNavigateResult, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import type { Preferences, PreferencesPatch } from '../../../daemon/contract/system.js';
import type { Member } from '../../../daemon/contract/team.js';
import { Flag } from '../../components/text/flag.js';
import { savedClustersQuery } from '../../features/clusters/clusters-list.js';
import { getDashboardUrl, projectsQuery } from '../../features/projects/projects-queries.js';
import type { SeenProject } from '../../features/projects/seen-projects.js';
import { usePatchPreferences } from '../../features/system/system-mutations.js';
import { preferencesQuery } from '../../features/system/system-queries.js';
import { isOpen } from '../../features/team/is-open.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { ALL_PLACES, type Place } from '../places.js';
import type { Command, Commands } from './command.js';

type Navigate = UseNavigateResult<string>;

/** Further words by which the pages are found. */
const PAGE_WORDS: Readonly<Record<Place['to'], string>> = {
  '/': 'ask question',
  '/team': 'roster members',
  '/talk': 'talk chat',
  '/roadmap': 'tasks plan',
  '/schedules': 'cron times timer daily runs',
  '/requests': 'asks',
  '/rooms': 'wall clusters boards commons',
  '/map': 'world places posts near',
  '/find': 'find agents oracle',
  '/ledger': 'ledger wallets caps balances receipts money lamports',
  '/network': 'nats jetstream machines daemons team join create leave servers presence',
  '/system': 'settings health security log about doctor preferences tokens clients',
};
const THEMES = ['light', 'dark', 'system'] as const;
const SWITCHES = [
  { key: 'enter_sends', name: 'Enter sends', words: 'message line' },
  { key: 'single_key_shortcuts', name: 'Single-key shortcuts', words: 'keyboard' },
  { key: 'announcements', name: 'Announcements', words: 'screen reader' },
  { key: 'rail_collapsed', name: 'Narrow navigation', words: 'rail sidebar' },
] as const;

/** Returns pages, actions, settings, and the operator's own members, clusters and other projects. */
export function useOwnCommands(onShortcuts: () => void): Commands {
  const navigate = useNavigate();
  const { data: team, isLoading: isTeamComing } = useQuery(teamQuery());
  const { data: savedClusters } = useQuery(savedClustersQuery());
  const { data: projects } = useQuery(projectsQuery());
  const { data: preferences } = useQuery(preferencesQuery());
  const { mutate: patchPreferences } = usePatchPreferences();
  const { conv } = useParams({ strict: false });
  const known = useMemo(
    () => [
      ...createPageCommands(navigate),
      ...createSystemCommands(navigate),
      ...createMemberCommands(team?.members ?? [], navigate),
      ...createClusterCommands(savedClusters ?? [], navigate),
      ...createProjectCommands(projects ?? []),
      ...(conv === undefined ? [] : createConversationCommands(conv, navigate)),
      createUsageCommand(navigate),
      ...createStartCommands(navigate),
      ...(preferences ? createPreferenceCommands(preferences, patchPreferences) : []),
      ...createHelpCommands(navigate, onShortcuts),
    ],
    [navigate, conv, team, savedClusters, projects, preferences, patchPreferences, onShortcuts],
  );
  return { known, isComing: isTeamComing };
}

function createPageCommands(navigate: Navigate): Command[] {
  return ALL_PLACES.map(
    ({ to, name, icon, key }): Command => ({
      group: 'Pages',
      id: icon,
      name,
      words: PAGE_WORDS[to],
      more: `g ${key}`,
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

/** Commands for the conversation that is open. */
function createConversationCommands(conv: string, navigate: Navigate): Command[] {
  return [
    {
      group: 'Actions',
      id: 'changes',
      name: 'Changes of this conversation',
      words: 'diff review files comments',
      run: () => void navigate({ to: '/talk/$conv/changes', params: { conv } }),
    },
    {
      group: 'Actions',
      id: 'merge',
      name: 'Merge this conversation',
      words: 'branch squash rebase pull request',
      run: () => void navigate({ to: '/talk/$conv/changes', params: { conv }, search: { merge: 'shown' } }),
    },
  ];
}

/** Commands that create something, or bring members in and out. */
function createUsageCommand(navigate: Navigate): Command {
  return {
    group: 'Pages',
    id: 'usage',
    name: 'Usage and budgets',
    words: 'limit spend cost tokens money day euro dollar',
    run: () => void navigate({ to: '/requests', search: { tab: 'usage' } }),
  };
}

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
      id: 'schedule',
      name: 'New schedule',
      words: 'cron times daily create add',
      run: () => void navigate({ to: '/schedules', search: { make: 'new' } }),
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

/** Commands that change a preference to what it is not. */
function createPreferenceCommands(preferences: Preferences, patch: (changed: PreferencesPatch) => void): Command[] {
  const density = preferences.density === 'compact' ? 'comfortable' : 'compact';
  const themes = THEMES.filter((theme) => theme !== preferences.theme).map(
    (theme): Command => ({
      group: 'Settings',
      id: `theme-${theme}`,
      name: theme === 'system' ? 'Theme: as the system' : `Theme: ${theme}`,
      run: () => patch({ theme }),
    }),
  );
  const switches = SWITCHES.map(
    ({ key, name, words }): Command => ({
      group: 'Settings',
      id: key,
      name: `${name}: ${preferences[key] ? 'off' : 'on'}`,
      words,
      run: () => patch({ [key]: !preferences[key] }),
    }),
  );
  return [
    ...themes,
    {
      group: 'Settings',
      id: 'density',
      name: `Rows: ${density}`,
      words: 'density',
      run: () => patch({ density }),
    },
    ...switches,
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
      name: 'Export payments as CSV',
      words: 'download ledger',
      run: () => window.location.assign('/ledger/export.csv'),
    },
    {
      group: 'Actions',
      id: 'about',
      name: 'What meshd is',
      words: 'about help introduction first steps',
      run: () => void navigate({ to: '/', search: { about: 'shown' } }),
    },
    { group: 'Actions', id: 'keys', name: 'Keyboard shortcuts', more: '?', run: onShortcuts },
  ];
}
