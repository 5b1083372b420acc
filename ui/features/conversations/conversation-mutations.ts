import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  Conversation,
  ConversationList,
  ConversationPatch,
  DecidePermission,
  DroppedTurns,
  MessageAccepted,
  NewMessage,
  Permission,
} from '../../../daemon/contract/conversations.js';
import { ApiError, call, query } from '../../lib/api.js';
import { conversationPath, conversationsKeys } from './conversations-queries.js';
import { createTalk, noteUsed } from './list/unused-talks.js';

/** A mutation of a conversation that invalidates the lists and the conversation when it settles. */
function useConversationMutation<V, R>(mutationFn: (values: V) => Promise<R>, conv?: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onMutate: () => {
      if (conv !== undefined) noteUsed(conv);
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: conversationsKeys.lists }),
        conv === undefined ? undefined : client.invalidateQueries({ queryKey: conversationsKeys.one(conv) }),
      ]),
  });
}

/** Returns the conversation that holds a busy singleton; undefined for any other error. */
export function busyConversation(error: unknown): string | undefined {
  const conv = error instanceof ApiError && error.code === 'singleton_busy' ? error.details['conv'] : undefined;
  return typeof conv === 'string' ? conv : undefined;
}

/** Creates a conversation. Fails with `singleton_busy` when the singleton already has one. */
export const useCreateConversation = () => useConversationMutation(createTalk);

/**
 * Resolves with the id of a conversation to talk to a member in: a singleton's only one, a profile's newest empty one
 * with default settings, or else a new one.
 */
export async function conversationWith(member: string): Promise<string> {
  const { conversations } = await call<ConversationList>(`/conversations${query({ member, limit: 50 })}`);
  const empty = conversations.find(
    (one) =>
      one.messages === 0 &&
      one.client === null &&
      one.model === null &&
      one.effort === null &&
      one.isolation.chosen === null,
  );
  if (empty) return empty.conv;
  try {
    return (await createTalk({ member })).conv;
  } catch (refusal) {
    const busy = busyConversation(refusal);
    if (busy === undefined) throw refusal;
    return busy;
  }
}

export const useConversationWith = () => useConversationMutation(conversationWith);

const SEARCHER = 'consultant';

/** Asks the consultant in a new conversation; without that member, an agent that answers by search. */
async function searchFor(text: string): Promise<string> {
  const { conv } = await createTalk({ member: SEARCHER }).catch((refusal: unknown) => {
    if (refusal instanceof ApiError && refusal.status < 500) return createTalk({});
    throw refusal;
  });
  await call<MessageAccepted>(`${conversationPath(conv)}/messages`, { method: 'POST', body: { text } });
  return conv;
}

/** Resolves with the conversation in which the project is searched for a text. */
export const useSearchConversation = () => useConversationMutation(searchFor);

export const usePatchConversation = (conv: string) =>
  useConversationMutation(
    (body: ConversationPatch) => call<Conversation>(conversationPath(conv), { method: 'PATCH', body }),
    conv,
  );

export const postMessage = (conv: string, body: NewMessage) =>
  call<MessageAccepted>(`${conversationPath(conv)}/messages`, { method: 'POST', body });

export const usePostMessage = (conv: string) =>
  useConversationMutation((body: NewMessage) => postMessage(conv, body), conv);

/** Cancels the running turn; with `queue` also drops the queued messages. */
export const useCancelTurn = (conv: string) =>
  useConversationMutation(
    (body: { queue?: boolean }) => call<Conversation>(`${conversationPath(conv)}/cancel`, { method: 'POST', body }),
    conv,
  );

/** Removes one queued message. Fails with `not_waiting` once its turn has started. */
export const useDropMessage = (conv: string) =>
  useConversationMutation(
    (msg: string) =>
      call<DroppedTurns>(`${conversationPath(conv)}/messages/${encodeURIComponent(msg)}`, { method: 'DELETE' }),
    conv,
  );

/** Removes all queued messages. The running turn continues. */
export const useDropQueue = (conv: string) =>
  useConversationMutation(() => call<DroppedTurns>(`${conversationPath(conv)}/queue`, { method: 'DELETE' }), conv);

export const useDecide = (conv: string) =>
  useConversationMutation(
    ({ pid, ...body }: { pid: string } & DecidePermission) =>
      call<Permission>(`${conversationPath(conv)}/permissions/${encodeURIComponent(pid)}`, {
        method: 'POST',
        body,
      }),
    conv,
  );
