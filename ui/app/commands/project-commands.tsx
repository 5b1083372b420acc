import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useMemo } from 'react';
import type { RequestList, RequestRow } from '../../../daemon/contract/asks.js';
import type { ProjectNames } from '../../../daemon/contract/code.js';
import type { Conversation, ConversationList } from '../../../daemon/contract/conversations.js';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Icon } from '../../components/text/icon.js';
import { asksKeys, recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { conversationsKeys, recentConversationsQuery } from '../../features/conversations/conversations-queries.js';
import { call, query } from '../../lib/api.js';
import type { Command, Commands } from './command.js';

/** Of each kind. The daemon searches, so that a large project or a long history costs the page nothing. */
const FOUND_MAX = 20;
const Q_MAX_CHARS = 200;

const namesQuery = (q: string) =>
  queryOptions({
    queryKey: ['project-names', q],
    queryFn: ({ signal }) => call<ProjectNames>(`/project/names${query({ q, limit: FOUND_MAX })}`, { signal }),
    staleTime: 2_000,
  });

const requestsNamedQuery = (q: string) =>
  queryOptions({
    queryKey: [...asksKeys.lists, 'named', q],
    queryFn: async ({ signal }) =>
      (await call<RequestList>(`/requests${query({ q, limit: FOUND_MAX })}`, { signal })).requests,
  });

const conversationsNamedQuery = (q: string) =>
  queryOptions({
    queryKey: [...conversationsKeys.lists, 'named', q],
    queryFn: async ({ signal }) =>
      (await call<ConversationList>(`/conversations${query({ q, limit: FOUND_MAX })}`, { signal })).conversations,
  });

/** Returns files and symbols of the project, conversations and requests that match. */
export function useProjectCommands(text: string): Commands {
  const navigate = useNavigate();
  const client = useQueryClient();
  // A blank text finds nothing: it begins the scan of the project's files while the first letter is typed.
  useEffect(() => void client.prefetchQuery({ ...namesQuery(' '), staleTime: 0 }), [client]);
  const words = text.trim().slice(0, Q_MAX_CHARS);
  const settled = useDeferredValue(words);
  const options = { enabled: settled.length > 1, placeholderData: keepPreviousData };
  const names = useQuery({ ...namesQuery(settled), ...options });
  const requests = useQuery({ ...requestsNamedQuery(settled), ...options });
  const conversations = useQuery({ ...conversationsNamedQuery(settled), ...options });
  const { data: recentRequests } = useQuery(recentRequestsQuery());
  const { data: recentConversations } = useQuery(recentConversationsQuery());
  const known = useMemo(() => {
    if (words === '') return [];
    const open = (file: string, from?: number, to?: number) => () =>
      void navigate({ to: '.', search: (was) => ({ ...was, file, from, to }), resetScroll: false });
    return [
      ...createFileCommands(names.data?.files ?? [], open),
      ...createSymbolCommands(names.data?.symbols ?? [], open),
      ...mergeById(recentConversations, conversations.data, ({ conv }) => conv).map((one) =>
        createConversationCommand(one, () => void navigate({ to: '/talk/$conv', params: { conv: one.conv } })),
      ),
      ...mergeById(recentRequests, requests.data, ({ request_id }) => request_id).map((one) =>
        createRequestCommand(one, () => void navigate({ to: '/requests/$rid', params: { rid: one.request_id } })),
      ),
    ];
  }, [words, names.data, requests.data, conversations.data, recentRequests, recentConversations, navigate]);
  const isFetching = names.isFetching || requests.isFetching || conversations.isFetching;
  return { known, isComing: words.length > 1 && (settled !== words || isFetching) };
}

/** Joins two lists without repetition, in order. */
function mergeById<T>(first: readonly T[] = [], second: readonly T[] = [], getId: (one: T) => string): T[] {
  return [...new Map([...first, ...second].map((one) => [getId(one), one])).values()];
}

type Open = (file: string, from?: number, to?: number) => () => void;

const getFileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const getFolder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);

const createFileCommands = (files: readonly string[], open: Open): Command[] =>
  files.map((path) => ({
    group: 'Files',
    id: `file-${path}`,
    name: getFileName(path),
    alias: path,
    more: getFolder(path),
    mark: <Icon name="requests" />,
    run: open(path),
  }));

const createSymbolCommands = (symbols: ProjectNames['symbols'], open: Open): Command[] =>
  symbols.map(({ name, kind, container, path, start_line, end_line }) => ({
    group: 'Symbols',
    id: `symbol-${path}:${start_line}:${name}`,
    name: container === '' ? name : `${container}.${name}`,
    alias: name,
    more: `${kind} · ${getFileName(path)}:${start_line}`,
    mark: <Icon name="code" />,
    run: open(path, start_line, end_line),
  }));

const createConversationCommand = ({ conv, title, member }: Conversation, run: () => void): Command => ({
  group: 'Conversations',
  id: conv,
  name: title,
  alias: conv,
  words: member ?? '',
  more: member ?? '',
  mark: <Icon name="talk" />,
  run,
});

const createRequestCommand = (request: RequestRow, run: () => void): Command => ({
  group: 'Requests',
  id: request.request_id,
  name: request.question,
  alias: request.request_id,
  words: request.member,
  more: request.member,
  mark: <StatusMark word={statusWord(request.status, request.error?.code)} hidesWord />,
  run,
});
