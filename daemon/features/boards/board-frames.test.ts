import { expect, it } from 'vitest';
import type { BoardFrame } from '../../contract/wall.js';
import { clustersApp, type WallClient } from '../../testing/apps/clusters-app.js';
import { settled } from '../../testing/apps/wall-talk.js';

const boardFrames = ({ frames }: WallClient) => frames.filter((frame): frame is BoardFrame => frame.kind === 'board');

it('sends a board frame for each change once to every socket of the cluster, including ghosts, and to no other cluster', async () => {
  const app = await clustersApp();
  const cluster = await app.aCluster();
  const other = await app.aCluster();
  const here = [
    await app.join(cluster, 'ada'),
    await app.join(cluster, 'ben', { vis: 'private' }),
    await app.join(cluster, 'cay', { vis: 'ghost' }),
  ];
  const elsewhere = await app.join(other, 'ada');
  const admin = { 'x-cluster-token': cluster.admin };
  const path = `/v1/clusters/${cluster.id}/boards`;

  const board = await app.aBoard(cluster, 'jobs');
  await app.call('PATCH', `${path}/jobs`, { about: 'Work.' }, admin);
  const kept = await app.aPost(cluster, 'jobs', { title: 'A lamp' });
  const brief = await app.aPost(cluster, 'jobs', { title: 'Today only', ttl: '24h' });
  const removed = await app.aPost(cluster, 'jobs', { title: 'A chair' });
  await app.call('DELETE', `${path}/jobs/posts/${removed.id}`, undefined, admin);
  await app.call('DELETE', `${path}/jobs`, undefined, admin);

  await settled(here[0] as WallClient, here[1] as WallClient, here[2] as WallClient);
  await settled(await app.join(other, 'ben'), elsewhere);
  const about = { kind: 'board', board: board.id, slug: 'jobs' };
  const told = [
    { ...about, event: 'board_created' },
    { ...about, event: 'post_created', post: kept.id, title: 'A lamp' },
    { ...about, event: 'post_created', post: brief.id, title: 'Today only' },
    { ...about, event: 'post_created', post: removed.id, title: 'A chair' },
    { ...about, event: 'post_deleted', post: removed.id, title: 'A chair' },
    // Neither the posts deleted together with the board nor the edit of the charter cause a frame.
    { ...about, event: 'board_deleted' },
  ];
  for (const client of here.slice(1)) expect(boardFrames(client)).toEqual(told);
  expect(boardFrames(elsewhere)).toEqual([]);
});

it('treats entry.require as informative and rejects nobody because of it', async () => {
  const app = await clustersApp();
  const cluster = await app.aCluster({ visibility: 'public' });
  await app.aBoard(cluster, 'jobs');
  const props = { entry: { age_min: 17, require: ['verified', 'human'] } };
  await app.call('PATCH', `/v1/clusters/${cluster.id}/boards/jobs`, { props }, { 'x-cluster-token': cluster.admin });
  const post = await app.aPost(cluster, 'jobs');
  expect((await app.call('GET', `/v1/clusters/${cluster.id}/boards/jobs`)).body).toMatchObject({
    effective_props: props,
    posts: [{ id: post.id }],
  });
});
