// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { NetworkAgent } from '../../../daemon/contract/shared/network-asks.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { AskNamed } from './ask-colleague.js';

removeAfterEach();

const AGENT = {
  ref: 'pier/consultant',
  self: false,
  daemon_name: 'pier',
  member: 'consultant',
} as unknown as NetworkAgent;

it('says why nobody can be asked when the members of the network cannot be read', async () => {
  stubDaemon(() => ({ status: 503, body: { error: 'no_network', message: 'The hub is away.' } }));
  const page = await drawPart(<AskNamed name="pier/consultant" onClose={() => undefined} />);
  expect(page.words()).toMatch(/Ask pier\/consultant.*The members of the network could not be read.*The hub is away/);
});

it('stops an ask that runs when its dialog is closed', async () => {
  const running = { id: 'ask-1', status: 'running', daemon_name: 'pier' };
  const calls = stubDaemon(({ path }) => (path.startsWith('/network/asks') ? { body: running } : undefined));
  let closed = 0;
  const page = await drawPart(<AskNamed name="pier/consultant" onClose={() => closed++} />, {
    known: [[['network', 'agents'], [AGENT]]],
  });
  await page.type('Question', 'Where?');
  await page.submit();
  await page.press('Close');
  expect(closed).toBe(1);
  expect(calls.some(({ method, path }) => method === 'DELETE' && path === '/network/asks/ask-1')).toBe(true);
});
