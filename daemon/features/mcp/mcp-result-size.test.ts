import { expect, it } from 'vitest';
import type { SkillAskResult } from '../../contract/asks.js';
import type { Post } from '../../contract/boards.js';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { CodePlaces } from '../../contract/code.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { mcpClient } from '../../testing/processes/mcp-client.js';

/** What clients that give their model the structured result alone can take at once, in characters. */
const RESULT_MAX_CHARS = 50_000;
const LONG = 'x'.repeat(60_000);

/** A public cluster with a board of as many long posts. */
async function aLongBoard(app: TestApp, posts: number): Promise<{ cluster: string; board: string }> {
  const { body } = await app.call('POST', '/v1/clusters', { name: 'Harbour', visibility: 'public' });
  const { cluster_id, admin_token } = body as ClusterCreated;
  const admin = { 'x-cluster-token': admin_token ?? '' };
  const at = `/v1/clusters/${cluster_id}`;
  await app.call('PATCH', at, { boards_enabled: true }, admin);
  await app.call('POST', `${at}/boards`, { slug: 'tides', name: 'Tides', kind: 'generic', about: 'Long.' }, admin);
  for (let number = 1; number <= posts; number += 1) {
    const made = await app.call('POST', `${at}/boards/tides/posts?agent=keeper`, { title: `${number}`, body: LONG });
    expect(made.status, made.text).toBe(201);
  }
  return { cluster: cluster_id, board: 'tides' };
}

it('cuts the posts of a board, and reads one of them in full', async () => {
  const app = await testApp();
  const at = await aLongBoard(app, 10);
  const client = await mcpClient(app, '2026-07-28');
  const read = async (more: object = {}) => {
    const { structuredContent, content } = await client.callTool({ name: 'read_board', arguments: { ...at, ...more } });
    return { page: structuredContent as { posts: Post[]; count: number; next_cursor: null }, text: content[0] };
  };
  const { page } = await read();
  expect(page.posts.map(({ body }) => [body.length, body.endsWith('x ...')])).toEqual(Array(10).fill([2_003, true]));
  expect(JSON.stringify(page).length).toBeLessThan(RESULT_MAX_CHARS);
  const [newest] = page.posts;
  const { page: one, text } = await read({ post: newest?.id });
  expect(one).toMatchObject({ posts: [{ title: '10', body: LONG }], count: 1, next_cursor: null });
  expect(text).toMatchObject({ text: expect.stringContaining(LONG) });
  const { text: refused } = await read({ post: 'p_none' });
  expect(refused).toMatchObject({ text: expect.stringContaining('post_not_found') });
});

it('gives the first citations of an answer, how many places there are, and all citations as a resource', async () => {
  const uses = Array.from({ length: 210 }, (_, number) => `kindleLamp(${number}); // ${'y'.repeat(80)}\n\n`).join('');
  const app = await testApp({
    files: { 'src/kindle.ts': `export function kindleLamp(_at: number): void {}\n${uses}` },
  });
  await app.untilIndexed();
  const client = await mcpClient(app, '2026-07-28');
  const asked = { name: 'ask_consultant', arguments: { text: 'Where is kindleLamp used?' } };
  const answer = (await client.callTool(asked)).structuredContent as unknown as SkillAskResult;
  expect([answer.citations.length, answer.total]).toEqual([40, 210]);
  expect(JSON.stringify(answer).length).toBeLessThan(RESULT_MAX_CHARS);
  const { contents } = await client.readResource({ uri: `mesh://requests/${answer.request_id}` });
  const all = JSON.parse(contents.map((one) => ('text' in one ? one.text : '')).join('')) as SkillAskResult;
  expect(all.citations).toHaveLength(200);
  expect(all.citations.slice(0, 40)).toEqual(answer.citations);
});

it('gives the first places of a name that stands in very many, and how many there are', async () => {
  const uses = Array.from({ length: 210 }, (_, number) => `kindleLamp(${number}, '${'y'.repeat(180)}');\n\n`).join('');
  const app = await testApp({
    files: { 'src/kindle.ts': `export function kindleLamp(_at: number, _why: string): void {}\n${uses}` },
  });
  await app.untilIndexed();
  const client = await mcpClient(app, '2026-07-28');
  const { structuredContent, content } = await client.callTool({
    name: 'find_code',
    arguments: { query: 'refs', name: 'kindleLamp' },
  });
  const { places, total } = structuredContent as unknown as CodePlaces;
  expect(total).toBe(210);
  expect(JSON.stringify(structuredContent).length).toBeLessThan(RESULT_MAX_CHARS);
  expect(content[0]).toMatchObject({ text: expect.stringMatching(`^210 places, here the first ${places.length}\n`) });
});
