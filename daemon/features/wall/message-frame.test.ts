import { expect, it } from 'vitest';
import { textFrame } from '../../lib/websocket-frame.js';
import { FramesOf, getTail } from './message-frame.js';

const tail = (scope = {}) => getTail({ ts: 7, scope, payload: '{"a":1}' });
const frames = new FramesOf('a"da', 'did:key:a');

it('a broadcast says by whom it is, under the name that its receiver may see, and not who that is', () => {
  const rest = ',"to":null,"ts":7,"payload":{"a":1}}';
  expect(frames.broadcast('a"da', tail())).toEqual(textFrame(`{"kind":"message","from":"a\\"da"${rest}`));
  expect(frames.broadcast('private-1', tail())).toEqual(textFrame(`{"kind":"message","from":"private-1"${rest}`));
});

it('a direct message names its sender’s identity and its receiver', () => {
  const text = '{"kind":"message","from":"a\\"da","from_did":"did:key:a","to":"b\\"en","ts":7,"payload":{"a":1}}';
  expect(frames.direct('b"en', tail())).toEqual(textFrame(text));
  expect(JSON.parse(new FramesOf('ada', null).direct('ben', tail()).subarray(2).toString())).toMatchObject({
    from_did: null,
  });
});

it.each([
  [{}, ',"ts":7,"payload":{"a":1}}'],
  [{ board: 'jobs' }, ',"ts":7,"board":"jobs","payload":{"a":1}}'],
  [{ ref: 'p_1' }, ',"ts":7,"ref":"p_1","payload":{"a":1}}'],
  [{ board: 'jobs', ref: 'p_1' }, ',"ts":7,"board":"jobs","ref":"p_1","payload":{"a":1}}'],
])('a message about %j ends with it and its payload', (scope, end) => {
  expect(tail(scope)).toBe(end);
});
