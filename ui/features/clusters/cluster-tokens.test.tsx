// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { LeaveCluster } from './leave-cluster.js';
import { DEFAULT_MEMBERSHIP, MembershipFields } from './membership-fields.js';
import { RulesTab } from './rules-tab.js';
import { ShareTab } from './share-tab.js';

removeAfterEach();

const TOKENS = { member: `ck_${'a'.repeat(43)}`, admin: `ak_${'b'.repeat(43)}` };
const saved = (changed: Partial<SavedClusterDetail> = {}) =>
  ({
    ...{ cluster_id: 'c1', name: 'Quay', slug: null, token: TOKENS.member, admin_token: TOKENS.admin },
    ...{ handle: 'operator', vis: 'ghost', held: true, ...changed },
  }) as SavedClusterDetail;
const CLUSTER = { id: 'c1', visibility: 'private', boards_enabled: true, description: '', created_at: 1 } as Cluster;

const drawShare = (room: SavedClusterDetail) =>
  drawPart(<ShareTab room={room} cluster={CLUSTER} isSaved origin="http://127.0.0.1:4400" onLeft={() => undefined} />);
const drawRules = (room: SavedClusterDetail) =>
  drawPart(<RulesTab room={room} cluster={CLUSTER} isSaved onDeleted={() => undefined} />);

it('deletes the admin token alone, and keeps that of members', async () => {
  const calls = stubDaemon();
  const page = await drawShare(saved());
  await page.press('Forget');
  await page.press('Delete it here');
  expect(calls).toMatchObject([{ method: 'PATCH', path: '/rooms/c1', body: { admin_token: null } }]);
  expect(calls[0]?.body).not.toHaveProperty('token');
});

it('takes the missing token of members on the page that shares', async () => {
  const calls = stubDaemon();
  const page = await drawShare(saved({ token: null }));
  await page.type('Member token (ck_…)', ` ${TOKENS.member} `);
  await page.submit();
  expect(calls).toMatchObject([{ method: 'PATCH', path: '/rooms/c1', body: { token: TOKENS.member } }]);
});

it('takes the missing admin token on the page of the rules', async () => {
  const calls = stubDaemon();
  const page = await drawRules(saved({ admin_token: null }));
  await page.type('Admin token (ak_…)', TOKENS.admin);
  await page.submit();
  expect(calls).toMatchObject([{ method: 'PATCH', path: '/rooms/c1', body: { admin_token: TOKENS.admin } }]);
});

it('turns boards off and on', async () => {
  const calls = stubDaemon();
  await (await drawRules(saved())).press('Boards are on');
  expect(calls).toMatchObject([{ method: 'PATCH', path: '/v1/clusters/c1', body: { boards_enabled: false } }]);
});

it('takes a left cluster back with both tokens', async () => {
  const calls = stubDaemon();
  const page = await drawPart(<LeaveCluster room={saved()} onLeft={() => undefined} />);
  await page.press('Leave the cluster');
  await page.press('Leave and delete the tokens');
  await page.press('Undo');
  expect(calls.map(({ method }) => method)).toEqual(['DELETE', 'POST']);
  expect(calls[1]?.body).toEqual({
    ...{ cluster_id: 'c1', token: TOKENS.member, admin_token: TOKENS.admin },
    ...{ handle: 'operator', vis: 'ghost', held: true },
  });
});

it('stays connected only when that is wanted', async () => {
  const changes: unknown[] = [];
  const page = await drawPart(
    <MembershipFields membership={DEFAULT_MEMBERSHIP} onChange={(changed) => changes.push(changed)} />,
  );
  await page.tick(/^Stay connected/);
  expect(changes).toEqual([{ ...DEFAULT_MEMBERSHIP, held: false }]);
});
