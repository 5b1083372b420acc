import type { QueryClient } from '@tanstack/react-query';
import type { Member } from '../../../../daemon/contract/team.js';
import { conversationWith, postMessage } from '../../conversations/conversation-mutations.js';
import { isOpen } from '../../team/is-open.js';
import { memberQuery } from '../../team/team-queries.js';
import { ask } from './ask-as-program.js';

/** Where a question went: a request with the token that collects it, or a conversation. */
export type Asked = { rid: string; token: string } | { conv: string };

/** Asks a member through its API, as any other program does. */
export async function askWithToken(member: string, token: string, text: string): Promise<Asked> {
  const { request_id } = await ask(member, token, { text });
  return { rid: request_id, token };
}

/** Asks an exposed member through its API, and any other in a conversation, which exposes nothing. */
export async function askMember(client: QueryClient, member: Member, text: string): Promise<Asked> {
  if (isOpen(member))
    return askWithToken(member.id, (await client.fetchQuery(memberQuery(member.id))).token ?? '', text);
  const conv = await conversationWith(member.id);
  await postMessage(conv, { text });
  return { conv };
}
