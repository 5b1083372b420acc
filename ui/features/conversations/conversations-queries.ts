import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  Conversation,
  ConversationList,
  MessageList,
  PermissionList,
} from '../../../daemon/contract/conversations.js';
import { call, query } from '../../lib/api.js';

interface ConversationFilters {
  member?: string | undefined;
  archived?: true | undefined;
  q?: string | undefined;
}

export const conversationsKeys = {
  lists: ['conversations'] as const,
  permissions: ['permissions'] as const,
  list: (filters: ConversationFilters) => ['conversations', 'list', filters] as const,
  recent: ['conversations', 'recent'] as const,
  ones: ['conversation'] as const,
  one: (conv: string) => ['conversation', conv] as const,
  changes: (conv: string) => ['conversation', conv, 'changes'] as const,
  checkpoints: (conv: string) => ['conversation', conv, 'checkpoints'] as const,
  work: (conv: string) => ['conversation', conv, 'work'] as const,
};

const RECENT = 100;
const PAGE = 50;
const PERMISSIONS = 200;

export const conversationPath = (conv: string) => `/conversations/${encodeURIComponent(conv)}`;

/** The newest conversations of all members. The rail, the home page and the roster count from them. */
export const recentConversationsQuery = () =>
  queryOptions({
    queryKey: conversationsKeys.recent,
    queryFn: async ({ signal }) =>
      (await call<ConversationList>(`/conversations?limit=${RECENT}`, { signal })).conversations,
  });

/** The pending permissions of all conversations, oldest first. */
export const permissionsQuery = () =>
  queryOptions({
    queryKey: conversationsKeys.permissions,
    queryFn: async ({ signal }) =>
      (await call<PermissionList>(`/permissions?limit=${PERMISSIONS}`, { signal })).permissions,
  });

export const conversationsQuery = (filters: ConversationFilters) =>
  infiniteQueryOptions({
    queryKey: conversationsKeys.list(filters),
    queryFn: ({ pageParam, signal }) => {
      const { archived, ...words } = filters;
      const search = query({
        ...words,
        archived: archived ? 'true' : undefined,
        limit: PAGE,
        cursor: pageParam || undefined,
      });
      return call<ConversationList>(`/conversations${search}`, { signal });
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const conversationQuery = (conv: string) =>
  queryOptions({
    queryKey: conversationsKeys.one(conv),
    queryFn: ({ signal }) => call<Conversation>(conversationPath(conv), { signal }),
  });

/** Reads a page of the transcript: the newest, or the one before the message `before`. */
export const readMessages = (conv: string, limit: number, before?: string): Promise<MessageList> =>
  call<MessageList>(`${conversationPath(conv)}/messages${query({ limit, before })}`);
