// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { conversationWith } from '../conversation-mutations.js';
import { NewConversationDialog } from './new-conversation-dialog.js';

removeAfterEach();

const TEAM = { members: [{ id: 'developer', name: 'Developer', serving: true, client: 'auto' }] };

async function drawDialog() {
  const calls = stubDaemon(({ path }) =>
    path === '/clients' ? { body: { clients: [] } } : { body: { conv: 'conv-9' } },
  );
  const page = await drawPart(
    <NewConversationDialog member={undefined} onClose={() => undefined} onCreated={() => undefined} />,
    { known: [[['team', 'list'], TEAM]] },
  );
  return {
    page,
    created: () => calls.find(({ method, path }) => method === 'POST' && path === '/conversations')?.body,
  };
}

it('begins a conversation with an agent that is no member', async () => {
  const { page, created } = await drawDialog();
  await page.type('With', 'agent:audit');
  await page.submit();
  expect(created()).toEqual({ agent_type: 'audit' });
});

it('begins a conversation on the model that was chosen for it', async () => {
  const { page, created } = await drawDialog();
  await page.type('Model', 'opus');
  await page.submit();
  expect(created()).toEqual({ member: 'developer', model: 'opus' });
});

it('talks on in an empty conversation only when it has the usual settings', async () => {
  const empty = { messages: 0, client: null, model: null, effort: null, isolation: { chosen: null } };
  stubDaemon(({ method }) =>
    method === 'GET'
      ? {
          body: {
            conversations: [
              { ...empty, conv: 'conv-1', client: 'builtin' },
              { ...empty, conv: 'conv-2' },
            ],
          },
        }
      : { body: { conv: 'conv-3' } },
  );
  expect(await conversationWith('developer')).toBe('conv-2');
});
