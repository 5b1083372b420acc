import type { Conversation, ConversationPatch, NewConversation } from '../../contract/conversations.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { conversationPath } from './live-conversation.js';

const CONVERSATION_ID = /^conv-[\w-]{16}$/;

/** Settings of the conversation that override those of its member. */
export type Overrides = Pick<ConversationPatch, 'client' | 'model' | 'effort' | 'isolation'>;

export interface Opened {
  conversation: Conversation;
  isNew: boolean;
}

async function findConversation(client: HttpClient, id: string): Promise<Conversation | undefined> {
  if (!CONVERSATION_ID.test(id)) return undefined;
  try {
    return await client.get<Conversation>(conversationPath(id));
  } catch (error) {
    if (error instanceof CommandError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function continueConversation(client: HttpClient, conv: string, overrides: Overrides): Promise<Opened> {
  const isUnchanged = Object.keys(overrides).length === 0;
  const path = conversationPath(conv);
  const conversation = isUnchanged
    ? await client.get<Conversation>(path)
    : await client.send<Conversation>('PATCH', path, { body: overrides satisfies ConversationPatch });
  return { conversation, isNew: false };
}

/**
 * Returns the conversation to talk in: the one that `target` or `conv` names, the live one of a singleton, else a new
 * one with the member. Overrides are stored in the conversation. Throws `not_found`, `member_bound`, and the daemon's
 * error for invalid overrides.
 */
export async function openConversation(
  client: HttpClient,
  target: string,
  conv: string | undefined,
  overrides: Overrides,
): Promise<Opened> {
  if (conv !== undefined) {
    const { member } = await client.get<Conversation>(conversationPath(conv));
    if (target !== conv && target !== member) {
      throw new CommandError(
        EXIT.usage,
        `${conv} is a conversation with ${member ?? 'no member'}, not with ${target}: leave --conv out to ` +
          'start another one.',
        'member_bound',
      );
    }
    return continueConversation(client, conv, overrides);
  }
  const named = await findConversation(client, target);
  if (named) return continueConversation(client, named.conv, overrides);
  try {
    const body: NewConversation = { member: target, ...overrides };
    return { conversation: await client.send<Conversation>('POST', '/conversations', { body }), isNew: true };
  } catch (error) {
    const live = error instanceof CommandError && error.code === 'singleton_busy' ? error.details['conv'] : undefined;
    if (typeof live !== 'string') throw error;
    return continueConversation(client, live, overrides);
  }
}

/** Deletes a new conversation that has no messages. */
export async function dropIfEmpty(client: HttpClient, { conversation, isNew }: Opened): Promise<void> {
  if (!isNew) return;
  const { messages } = await client.get<Conversation>(conversationPath(conversation.conv));
  if (messages === 0) await client.send('DELETE', conversationPath(conversation.conv));
}
