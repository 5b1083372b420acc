import { expect, it } from 'vitest';
import { boardUri, cardUri, parseResourceUri, postUri, requestUri, TEMPLATES } from './resource-uris.js';

const LONG = 'x'.repeat(100);

it('announces the four kinds of resources by their templates', () => {
  expect(TEMPLATES).toEqual({
    card: 'mesh://members/{member}/card',
    request: 'mesh://requests/{request_id}',
    board: 'mesh://clusters/{cluster}/boards/{board}',
    post: 'mesh://clusters/{cluster}/boards/{board}/posts/{post}',
  });
});

it.each([
  [cardUri('keeper'), 'mesh://members/keeper/card', { kind: 'card', member: 'keeper' }],
  [requestUri('req-Az_9'), 'mesh://requests/req-Az_9', { kind: 'request', request: 'req-Az_9' }],
  [boardUri('c', 'lost'), 'mesh://clusters/c/boards/lost', { kind: 'board', cluster: 'c', board: 'lost' }],
  [
    postUri('c', 'lost', 'p_1'),
    'mesh://clusters/c/boards/lost/posts/p_1',
    { kind: 'post', cluster: 'c', board: 'lost', post: 'p_1' },
  ],
  [requestUri(LONG), `mesh://requests/${LONG}`, { kind: 'request', request: LONG }],
])('reads of %s what it was made of', (made, uri, place) => {
  expect([made, parseResourceUri(made)]).toEqual([uri, place]);
});

it.each([
  [''],
  ['mesh://'],
  ['mesh://members/keeper'],
  ['mesh://members/keeper/cards'],
  ['mesh://members//card'],
  ['mesh://members/a b/card'],
  ['mesh://members/a/b/card'],
  ['mesh://requests/'],
  ['mesh://requests/req-1/'],
  ['mesh://requests/req.1'],
  [`mesh://requests/${LONG}x`],
  ['xmesh://requests/req-1'],
  ['xmesh://members/keeper/card'],
  ['mesh://clusters/c/boards'],
  ['mesh://clusters/c/boards/lost/'],
  ['mesh://clusters/c/boards/lost/posts'],
  ['mesh://clusters/c/boards/lost/posts/p/x'],
  ['xmesh://clusters/c/boards/lost'],
  ['xmesh://clusters/c/boards/lost/posts/p'],
  ['mesh://clusters/c/boards/lost/pages/p'],
  ['http://requests/req-1'],
])('knows no resource at %j', (uri) => {
  expect(parseResourceUri(uri)).toBeUndefined();
});
