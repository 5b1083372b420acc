import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useId, useMemo, useState } from 'react';
import type { Room } from '../../daemon/contract/rooms.js';
import { Dialog } from '../components/dialog.js';
import { Flag } from '../components/flag.js';
import { Icon } from '../components/icon.js';
import { StatusMark, statusWord } from '../components/status-mark.js';
import { agentsNamedQuery } from '../features/agents/agents-queries.js';
import { recentRequestsQuery } from '../features/asks/asks-queries.js';
import { type KnownBoard, useKnownBoardsQuery } from '../features/boards/known-boards.js';
import { useKnownPostsQuery } from '../features/boards/known-posts.js';
import { dashboardOf, projectsQuery } from '../features/projects/projects-queries.js';
import { roomsQuery } from '../features/rooms/rooms-list.js';
import { usePatchPreferences } from '../features/system/system-mutations.js';
import { preferencesQuery } from '../features/system/system-queries.js';
import { teamQuery } from '../features/team/team-queries.js';
import { shownWords } from '../lib/shown-words.js';
import styles from './command-palette.module.css';
import { type Findable, rankCommands } from './command-ranking.js';

interface Command extends Findable {
  group: 'Pages' | 'Actions' | 'Members' | 'Rooms' | 'Projects' | 'Boards' | 'Posts' | 'Agents' | 'Requests' | 'Find';
  id: string;
  mark?: ReactNode;
  run: () => void;
}

const SHOWN = 40;
const NO_ROOMS: readonly Room[] = [];
const NO_BOARDS: readonly KnownBoard[] = [];

/** Every page, member, recent request and action, found by any part of their words; agents by their names, and by what they do on the page for it. */
export default function CommandPalette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState('');
  const commands = useCommands(onShortcuts);
  const boards = useBoardCommands(text);
  const agents = useAgentCommands(text);
  const [at, setAt] = useState(0);
  const listId = useId();
  const found = useMemo(() => {
    const offered = text === '' ? commands.filter(({ group }) => group !== 'Requests') : commands;
    // Agents are named by others and come later than the rest: they never push aside what is one's own, nor what Enter is about to open.
    return [
      ...rankCommands(offered, text).slice(0, SHOWN),
      ...rankCommands(boards, text).slice(0, SHOWN),
      ...rankCommands(agents.known, text),
      ...agents.search,
    ];
  }, [commands, boards, agents, text]);
  const named = found.length - agents.search.length;
  const selected = found[Math.min(at, found.length - 1)];

  useEffect(() => {
    if (selected) document.getElementById(`${listId}-${selected.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [selected, listId]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Page, member, room, post, request or action"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={selected ? `${listId}-${selected.id}` : undefined}
        placeholder="Page, member, room, post, request or action"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="go"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, found.length));
          else if (event.key === 'ArrowUp') setAt((at - 1 + found.length) % Math.max(1, found.length));
          else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(selected);
          else return;
          event.preventDefault();
        }}
      />
      <div id={listId} role="listbox" aria-label="Found" className={styles.list}>
        {found.map((command, index) => (
          <div key={command.id}>
            {command.group !== found[index - 1]?.group && (
              <div className={styles.group} aria-hidden="true">
                {command.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys are the combobox's. */}
            <div
              role="option"
              id={`${listId}-${command.id}`}
              aria-selected={command === selected}
              tabIndex={-1}
              className={styles.option}
              onClick={() => run(command)}
              onMouseMove={() => setAt(index)}
            >
              {command.mark}
              <span className={`${styles.name} truncate`}>{shownWords(command.name)}</span>
              {command.more && <span className={styles.more}>{command.more}</span>}
            </div>
          </div>
        ))}
      </div>
      <p role="status" className={named === 0 ? 'quiet' : 'visually-hidden'}>
        {named === 0 ? `Nothing is called “${text}”.` : `${named} found`}
      </p>
    </Dialog>
  );
}

/** Boards of the rooms that one keeps and their newest posts, once there is a word to find them by. */
function useBoardCommands(text: string): Command[] {
  const navigate = useNavigate();
  const isAsked = text.trim().length > 1;
  const { data: rooms = NO_ROOMS } = useQuery(roomsQuery());
  const { data: boards = NO_BOARDS } = useQuery({ ...useKnownBoardsQuery(rooms), enabled: isAsked });
  const { data: posts } = useQuery({ ...useKnownPostsQuery(boards), enabled: isAsked && boards.length > 0 });
  return useMemo(() => {
    if (text.trim() === '') return [];
    const found = boards.map(
      ({ board: { id, slug, name, about }, room }): Command => ({
        group: 'Boards',
        id: `b-${id}`,
        name,
        alias: slug,
        words: `board ${room.name} ${about}`,
        more: room.name,
        mark: <Icon name="requests" />,
        run: () => void navigate({ to: '/rooms/$id/b/$slug', params: { id: room.cluster_id, slug } }),
      }),
    );
    for (const { post, board, room } of posts ?? [])
      found.push({
        group: 'Posts',
        id: `p-${post.id}`,
        name: post.title,
        alias: post.id,
        words: `post ${post.author} ${board.name} ${room.name}`,
        more: `#${board.slug}`,
        mark: <Flag id={post.author} size={20} />,
        run: () => void navigate({ to: '/rooms/$id/p/$pid', params: { id: room.cluster_id, pid: post.id }, search: { board: board.slug } }),
      });
    return found;
  }, [boards, posts, text, navigate]);
}

/** The hub's agents that are called so, and the search for those that do so. */
function useAgentCommands(text: string): { known: Command[]; search: Command[] } {
  const navigate = useNavigate();
  const words = text.trim();
  const settled = useDeferredValue(words);
  const { data: agents } = useQuery({ ...agentsNamedQuery(settled), enabled: settled.length > 1, placeholderData: keepPreviousData });
  return useMemo(() => {
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
      group: 'Find',
      id: 'find-words',
      name: `Find agents for “${words}”`,
      mark: <Icon name="find" />,
      run: () => void navigate({ to: '/find', search: { q: words } }),
    };
    return { known, search: [search] };
  }, [agents, words, navigate]);
}

function useCommands(onShortcuts: () => void): Command[] {
  const navigate = useNavigate();
  const { data: team } = useQuery(teamQuery());
  const { data: requests } = useQuery(recentRequestsQuery());
  const { data: rooms } = useQuery(roomsQuery());
  const { data: projects } = useQuery(projectsQuery());
  const { data: preferences } = useQuery(preferencesQuery());
  const { mutate: patchPreferences } = usePatchPreferences();
  return useMemo(() => {
    const commands: Command[] = [
      { group: 'Pages', id: 'desk', name: 'Desk', more: 'g d', run: () => void navigate({ to: '/' }) },
      { group: 'Pages', id: 'team', name: 'Team', more: 'g t', words: 'roster members', run: () => void navigate({ to: '/team' }) },
      { group: 'Pages', id: 'talk', name: 'Talk', more: 'g c', words: 'conversations chat', run: () => void navigate({ to: '/talk' }) },
      { group: 'Pages', id: 'roadmap', name: 'Roadmap', more: 'g m', words: 'tasks plan', run: () => void navigate({ to: '/roadmap' }) },
      {
        group: 'Pages',
        id: 'rooms',
        name: 'Rooms',
        more: 'g o',
        words: 'wall clusters boards commons',
        run: () => void navigate({ to: '/rooms' }),
      },
      { group: 'Pages', id: 'map', name: 'Map', more: 'g p', words: 'world places posts near', run: () => void navigate({ to: '/map' }) },
      { group: 'Pages', id: 'find', name: 'Find', more: 'g f', words: 'search agents oracle', run: () => void navigate({ to: '/find' }) },
      { group: 'Pages', id: 'requests', name: 'Requests', more: 'g r', words: 'asks', run: () => void navigate({ to: '/requests' }) },
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
      const isExposed = member.exposure === 'external';
      commands.push({
        group: 'Members',
        id: `m-${member.id}`,
        name: member.name,
        alias: member.id,
        words: member.description,
        more: isExposed ? 'open' : member.id,
        mark: <Flag id={member.id} size={20} isRaised={member.instances > 0} isExposed={isExposed} />,
        run: () => void navigate({ to: '/team/$id', params: { id: member.id } }),
      });
    }
    for (const { cluster_id, name, topic, slug, online, unread } of rooms ?? []) {
      commands.push({
        group: 'Rooms',
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
        run: () => window.location.assign(dashboardOf(project)),
      });
    }
    commands.push(
      {
        group: 'Actions',
        id: 'room-new',
        name: 'New room',
        words: 'create cluster wall',
        run: () => void navigate({ to: '/rooms', search: { make: 'new' } }),
      },
      {
        group: 'Actions',
        id: 'room-join',
        name: 'Join a room',
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
        name: 'Draft a member from words',
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
        name: 'Read the log',
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
  }, [navigate, team, requests, rooms, projects, preferences, patchPreferences, onShortcuts]);
}
