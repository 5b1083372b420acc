// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { RequestDetail } from '../../../daemon/contract/asks.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { RequestActions } from './request-actions.js';

removeAfterEach();

const REQUEST = {
  ...{ request_id: 'req-1', member: 'consultant', text: 'Where?', status: 'done', conv: 'conv-1', session: 's-1' },
  ...{ context_docs: [], rating: null },
} as unknown as RequestDetail;

it('asks again in the session of the request', async () => {
  const calls = stubDaemon(() => ({ body: { request_id: 'req-2' } }));
  const page = await drawPart(<RequestActions request={REQUEST} token="mk_1" isExposed />);
  await page.press('Ask again');
  expect(calls.find(({ method }) => method === 'POST')).toMatchObject({
    ...{ path: '/team/consultant/ask', body: { text: 'Where?', session: 's-1' } },
  });
});
