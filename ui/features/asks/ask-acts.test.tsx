// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { RequestDetail } from '../../../daemon/contract/asks.js';
import type { Member } from '../../../daemon/contract/team.js';
import { drawPart, removeAfterEach, soon, stubDaemon } from '../../testing/drawn.js';
import { AskBox } from './ask-box/ask-box.js';
import { MemberRequests } from './member-requests.js';
import { RateAnswer } from './rate-answer.js';
import RequestTestForm from './request-test.js';
import { listStarts } from './trace-panel.js';

removeAfterEach();

const request = (changed: Partial<RequestDetail> = {}) =>
  ({
    ...{ request_id: 'req-1', member: 'consultant', text: 'Where?', status: 'done', conv: 'conv-1', session: 's-1' },
    ...{ context_docs: [], rating: null, ...changed },
  }) as unknown as RequestDetail;

it('sends a question once although Enter is pressed twice', async () => {
  stubDaemon();
  const sent: string[] = [];
  let answer = () => {};
  const send = (text: string) => {
    sent.push(text);
    return new Promise<never>((_, reject) => {
      answer = () => reject(new Error('No.'));
    });
  };
  const page = await drawPart(<AskBox place="ask" member={{ id: 'consultant', name: 'Consultant' }} send={send} />, {
    known: [[['preferences'], { enter_sends: true }]],
  });
  await page.type('Question for Consultant', 'Where?');
  await page.hit('Question for Consultant', 'Enter');
  await page.hit('Question for Consultant', 'Enter');
  expect(sent).toEqual(['Where?']);
  await soon(answer);
});

it('keeps the reason when a rating is changed', async () => {
  const calls = stubDaemon();
  const rating = { value: 'down', note: 'It leaves the night out.', at: '' } as never;
  const page = await drawPart(<RateAnswer request={request({ rating })} />);
  await page.press('Good answer');
  expect(calls.find(({ method }) => method === 'PUT')?.body).toEqual({ value: 'up', note: 'It leaves the night out.' });
});

it.each([
  ['up', undefined, {}],
  ['down', ' src/dusk.ts:4 ', { cites: ['src/dusk.ts:4'] }],
])('makes an answer that was rated %s a test', async (value, place, body) => {
  const calls = stubDaemon();
  const page = await drawPart(<RequestTestForm request={request({ rating: { value, note: '' } as never })} />);
  if (place !== undefined) {
    expect(page.button(/^Make it a test/).getAttribute('aria-disabled')).toBe('true');
    await page.type('What the right answer cites', place);
  }
  expect(page.button('Make it a test').getAttribute('aria-disabled')).toBeNull();
  await page.submit();
  expect(calls[0]).toMatchObject({ method: 'POST', path: '/requests/req-1/test', body });
  expect(page.words()).toContain('It is a test of consultant now.');
});

it('lists the requests of the member alone', async () => {
  const calls = stubDaemon(() => ({ body: { requests: [], count: 0, next_cursor: null } }));
  await drawPart(<MemberRequests member={{ id: 'developer', name: 'Developer' } as Member} isExposed />);
  expect(calls.map(({ path }) => path)).toEqual([expect.stringMatching(/^\/requests\?member=developer&/)]);
});

it('begins each step of an answer where the one before it ended', () => {
  expect(listStarts([{ ms: 1 }, { ms: 2 }, { ms: 3 }])).toEqual([0, 1, 3]);
});
