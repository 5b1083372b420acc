import { expect, it } from 'vitest';
import { begin } from '../../testing/apps/conversing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('the description of the API tells what the requests of conversations do', async () => {
  const app = await testApp();
  const paths =
    /^\/(conversations(\/\{conv\}(\/(messages(\/\{msg\})?|queue|cancel|export|permissions\/\{pid\}))?)?|permissions.*)$/;
  const operator = (answer: string, told: string) => `conversations, operator, ${answer}, ${told}`;
  const described = await describedOperations(app, paths);
  expect(described).toEqual({
    'POST /conversations': operator('201 Conversation', 'Start a conversation'),
    'GET /conversations': operator('200 ConversationList', 'Conversations, pinned first, then newest'),
    'GET /conversations/{conv}': operator('200 Conversation', 'One conversation'),
    'PATCH /conversations/{conv}': operator(
      '200 Conversation',
      'Rename, pin, archive, or change client, model and effort',
    ),
    'DELETE /conversations/{conv}': operator('200 ConversationDeleted', 'Stop and delete a conversation'),
    'GET /conversations/{conv}/messages': operator('200 MessageList', 'A page of the transcript, oldest first'),
    'POST /conversations/{conv}/messages': operator('202 MessageAccepted', 'Send a message; queued while a turn runs'),
    'DELETE /conversations/{conv}/messages/{msg}': operator(
      '200 Turn',
      'Remove a queued message; the running turn continues: `msg` is the id of the message or of its turn. 409 ' +
        '`not_waiting` once it runs or has ended.',
    ),
    'DELETE /conversations/{conv}/queue': operator(
      '200 DroppedTurns',
      'Remove all queued messages; the running turn continues',
    ),
    'POST /conversations/{conv}/cancel': operator('200 Conversation', 'Stop the running turn; no body is fine'),
    'GET /conversations/{conv}/export': operator('200', 'The whole conversation as a document'),
    'GET /permissions': operator('200 PermissionList', 'Open permission questions of all conversations, oldest first'),
    'POST /conversations/{conv}/permissions/{pid}': operator('200 Permission', 'Answer a question of the agent'),
    'GET /permissions/rules': operator('200 PermissionRuleList', 'What agents may do without asking'),
    'DELETE /permissions/rules/{rule}': operator('200 PermissionRule', 'Take a permission rule back'),
  });
});

it('an exported conversation is a file named like it, in which no script runs', async () => {
  const app = await testApp();
  const { conv } = await begin(app);
  const get = async (query: string) => (await app.call('GET', `/conversations/${conv}/export${query}`)).headers;
  for (const [query, type, ending] of [
    ['', 'text/markdown; charset=utf-8', 'md'],
    ['?format=html', 'text/html; charset=utf-8', 'html'],
    ['?format=jsonl', 'application/jsonl; charset=utf-8', 'jsonl'],
  ] as const) {
    const headers = await get(query);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${conv}.${ending}"`);
    expect(headers.get('content-security-policy')).toMatch(/default-src/);
  }
  const policy = (await app.call('GET', `/conversations/${conv}`)).headers.get('content-security-policy');
  expect((await get('?format=html')).get('content-security-policy')).not.toBe(policy);
});
