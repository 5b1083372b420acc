// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { SavedCluster } from '../../../daemon/contract/saved-clusters.js';
import { drawPart, removeAfterEach } from '../../testing/drawn.js';
import { ClustersNow } from './clusters-now.js';

removeAfterEach();

it('counts an operator who is a ghost not among those who are seen', async () => {
  const cluster = (changed: Partial<SavedCluster>) => ({
    cluster_id: 'c1',
    name: 'Quay',
    slug: null,
    unread: 0,
    online: 1,
    held: true,
    vis: 'public',
    ...changed,
  });
  const drawNow = async (changed: Partial<SavedCluster>) =>
    (await drawPart(<ClustersNow />, { known: [[['rooms'], [cluster(changed)]]] })).words();
  expect(await drawNow({})).toBe('');
  expect(await drawNow({ vis: 'ghost' })).toContain('1 there');
});
