import { expect } from 'vitest';
import type { CommandCase, Desk } from './command-case.js';

const text = expect.any(String);
const CLUSTER = /c_[0-9a-f]{20}/;
const one = ({ kept: known }: Desk) => [known['cluster'] ?? ''];
const town =
  (...more: string[]) =>
  () => ['town', ...more];

/**
 * Commands for clusters, boards and posts. `kept.foreign` and `kept.token` belong to a private cluster that someone
 * else created.
 */
export const CLUSTERS: readonly CommandCase[] = [
  {
    command: 'cluster create',
    args: (_, turn) => (turn === 'plain' ? ['Town', '--public', '--topic', '#town'] : ['Crew']),
    out: /^Cluster +c_\S+\nToken +ck_\S+\nAdmin token +ak_\S+\n$/,
    err: /clusters\.json; they are not shown again/,
    json: { cluster_id: expect.stringMatching(CLUSTER), token: expect.stringMatching(/^ck_/), tokens_file: text },
    keep: ({ cluster_id }: { cluster_id: string }, { kept: known }) => Object.assign(known, { cluster: cluster_id }),
  },
  {
    command: 'cluster ls',
    rows: 'clusters',
    out: /^CLUSTER +SLUG.*\n(.*\n)*c_\S+ +town +Town/,
    json: { clusters: expect.any(Array), next_cursor: null },
  },
  {
    command: 'cluster show',
    args: one,
    out: /^Cluster +c_\S+\nName +Crew\n/,
    json: { name: 'Crew', visibility: 'private' },
  },
  {
    command: 'cluster join',
    args: ({ kept: known }) => [known['foreign'] ?? ''],
    stdin: 'token',
    out: /^Foreign \(c_\S+\) is joined\.\n$/,
    err: /^Its token is in /,
    json: { name: 'Foreign', tokens_file: text },
  },
  { command: 'cluster set', args: town('--boards', 'on'), out: /^Boards +on$/m, json: { boards_enabled: true } },
  { command: 'cluster say', args: town('hello', '--as', 'ada'), out: 'Nobody was reached.\n', json: { delivered: 0 } },
  {
    command: 'cluster hold',
    args: town('--as', 'ada'),
    out: /^The daemon is in Town \(c_\S+\) as ada/,
    json: { handle: 'ada' },
  },
  { command: 'cluster rooms', out: /^CLUSTER +SLUG.*\nc_\S+ +town /, json: { count: 1, rooms: [{ handle: 'ada' }] } },
  {
    command: 'cluster leave',
    args: async ({ meshd }) => {
      await meshd(['cluster', 'hold', 'town', '--as', 'ada']);
      return ['town'];
    },
    out: /^Left Town \(c_\S+\)\.\n$/,
    json: { cluster_id: expect.stringMatching(CLUSTER) },
  },
  {
    command: 'board create',
    args: (_, turn) => ['town', turn === 'plain' ? 'flats' : 'jumble', '--about', 'Rooms.'],
    out: /^Created #flats \(b_\S+\)\.\n$/,
    json: { board: { slug: 'jumble' } },
  },
  {
    command: 'board ls',
    rows: 'boards',
    args: town(),
    out: /^BOARD +KIND.*\n(.*\n)*#flats /,
    json: { boards: expect.any(Array) },
  },
  { command: 'board edit', args: town('flats', '--name', 'Flats'), out: 'Edited #flats.\n', json: { name: 'Flats' } },
  {
    command: 'board show',
    args: town('flats'),
    out: /^Board +#flats \(b_\S+\)\n/,
    json: { board: { slug: 'flats' }, posts: [] },
  },
  {
    command: 'post new',
    args: town('flats', 'Room to let', '--as', 'ada'),
    out: /^Pinned p_[0-9a-f]{16}\.\n$/,
    json: { id: expect.stringMatching(/^p_/) },
    keep: ({ id }: { id: string }, { kept: known }) => Object.assign(known, { post: id }),
  },
  {
    command: 'post ls',
    rows: 'posts',
    args: town('flats'),
    out: /^POST +PINNED.*\n(p_.*Room to let\n){2}$/,
    json: { count: 2 },
  },
  {
    command: 'post show',
    args: ({ kept: known }) => ['town', 'flats', known['post'] ?? ''],
    out: /^Post +p_\S+\nTitle +Room to let\n/,
    json: { title: 'Room to let' },
  },
  {
    command: 'post rm',
    args: async ({ meshd }) => {
      const { posts } = JSON.parse((await meshd(['post', 'ls', 'town', 'flats', '--json'])).out) as {
        posts: { id: string }[];
      };
      return ['town', 'flats', posts[0]?.id ?? '', '--as', 'ada'];
    },
    out: /^Deleted p_\S+\.\n$/,
    json: { deleted: true },
  },
  {
    command: 'board rm',
    args: (_, turn) => ['town', turn === 'plain' ? 'flats' : 'jumble', '--yes'],
    out: 'Deleted flats.\n',
    json: { board: 'jumble', deleted: true },
  },
  {
    command: 'cluster rm',
    args: ({ kept: known }, turn) => [turn === 'plain' ? 'town' : (known['cluster'] ?? ''), '--yes'],
    out: /^Deleted c_\S+\.\n$/,
    json: { cluster_id: expect.stringMatching(CLUSTER) },
  },
];
