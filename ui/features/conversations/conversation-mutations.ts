import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  Conversation,
  ConversationList,
  ConversationPatch,
  Decision,
  DroppedTurns,
  MessageAccepted,
  NewConversation,
  NewMessage,
  Permission,
} from '../../../daemon/contract/conversations.js';
import { ApiError, call, query } from '../../lib/api.js';
import { conversationPath, conversationsKeys } from './conversations-queries.js';

/** Runs a change of a conversation and lets everything that shows it read again. */
function useConversationMutation<V, R>(mutationFn: (values: V) => Promise<R>, conv?: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: conversationsKeys.lists }),
        conv === undefined ? undefined : client.invalidateQueries({ queryKey: conversationsKeys.one(conv) }),
      ]),
  });
}

const create = (body: NewConversation) => call<Conversation>('/conversations', { method: 'POST', body });

/** The conversation that a refused singleton lives in; undefined for any other refusal. */
export function busyConversation(error: unknown): string | undefined {
  const conv = error instanceof ApiError && error.code === 'singleton_busy' ? error.details['conv'] : undefined;
  return typeof conv === 'string' ? conv : undefined;
}

/** Begins a conversation. A singleton that lives elsewhere is refused with `singleton_busy`. */
export const useCreateConversation = () => useConversationMutation(create);

/**
 * The conversation to talk to a member in: a singleton's only one, a profile's newest in which nothing was said yet, or else a new one.
 */
export async function conversationWith(member: string): Promise<string> {
  const { conversations } = await call<ConversationList>(`/conversations${query({ member, limit: 50 })}`);
  const empty = conversations.find(
    (one) => one.messages === 0 && one.client === null && one.model === null && one.effort === null,
  );
  if (empty) return empty.conv;
  try {
    return (await create({ member })).conv;
  } catch (refusal) {
    const busy = busyConversation(refusal);
    if (busy === undefined) throw refusal;
    return busy;
  }
}

export const useConversationWith = () => useConversationMutation(conversationWith);

export const usePatchConversation = (conv: string) =>
  useConversationMutation(
    (body: ConversationPatch) => call<Conversation>(conversationPath(conv), { method: 'PATCH', body }),
    conv,
  );

export const useSay = (conv: string) =>
  useConversationMutation(
    (body: NewMessage) => call<MessageAccepted>(`${conversationPath(conv)}/messages`, { method: 'POST', body }),
    conv,
  );

/** Ends the running turn; with `queue` also drops what waits behind it. */
export const useCancelTurn = (conv: string) =>
  useConversationMutation(
    (body: { queue?: boolean }) => call<Conversation>(`${conversationPath(conv)}/cancel`, { method: 'POST', body }),
    conv,
  );

/** Takes one message back that still waits. Refused with `not_waiting` once its turn has begun. */
export const useDropMessage = (conv: string) =>
  useConversationMutation(
    (msg: string) =>
      call<DroppedTurns>(`${conversationPath(conv)}/messages/${encodeURIComponent(msg)}`, { method: 'DELETE' }),
    conv,
  );

/** Takes back everything that waits; what runs goes on. */
export const useDropQueue = (conv: string) =>
  useConversationMutation(() => call<DroppedTurns>(`${conversationPath(conv)}/queue`, { method: 'DELETE' }), conv);

export const useDecide = (conv: string) =>
  useConversationMutation(
    ({ pid, decision }: { pid: string; decision: Decision }) =>
      call<Permission>(`${conversationPath(conv)}/permissions/${encodeURIComponent(pid)}`, {
        method: 'POST',
        body: { decision },
      }),
    conv,
  );
