// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Member, MemberDetail } from '../../../daemon/contract/team.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import MemberHistory from './member-history.js';
import { ChangeMembersDialog } from './roster/change-members-dialog.js';
import { TokensPanel } from './tokens-panel.js';

removeAfterEach();

const member = (id: string) => ({ id, name: id, token_last4: 'abcd', instances: 0, revision: 'r1' }) as MemberDetail;
const TEAM = ['porter', 'usher'].map(member) as Member[];

it('rotates again only the tokens that were not rotated', async () => {
  let isBroken = true;
  const calls = stubDaemon(({ path }) => {
    if (path === '/team') return { body: { members: TEAM } };
    return path.includes('usher') && isBroken
      ? { status: 500, body: { error: 'internal', message: 'No.' } }
      : undefined;
  });
  const page = await drawPart(<TokensPanel />, { known: [[['team', 'list'], { members: TEAM }]] });
  const rotated = () => calls.filter(({ method }) => method === 'POST').map(({ path }) => path.split('/')[2]);
  await page.press('Rotate all');
  await page.send(page.find('dialog button', 'Rotate all'), 'click');
  expect(rotated()).toEqual(['porter', 'usher']);
  isBroken = false;
  await page.press('Retry');
  expect(rotated()).toEqual(['porter', 'usher', 'usher']);
});

it('changes what was chosen of several members', async () => {
  const calls = stubDaemon();
  const page = await drawPart(<ChangeMembersDialog members={TEAM} onClose={() => undefined} />);
  await page.type('Client', 'builtin');
  await page.type('Model', 'opus');
  await page.submit();
  expect(calls.map(({ path, body }) => [path, body])).toEqual([
    ['/team/porter', { client: 'builtin', model: 'opus' }],
    ['/team/usher', { client: 'builtin', model: 'opus' }],
  ]);
});

it('opens no older version over unsaved text', async () => {
  const commit = { commit: 'abcdef1', at: '2026-11-01T00:00:00Z', author: 'ada', subject: 'Words' };
  stubDaemon(({ path }) =>
    path.endsWith('/history')
      ? { body: { path: 'a.md', repository: true, standing: 'committed', commits: [commit], has_more: false } }
      : { body: { text: 'Old.', before: null } },
  );
  const page = await drawPart(<MemberHistory member={member('porter')} commit="abcdef1" />, {
    ...{ route: '/team/$id', at: '/team/porter' },
  });
  await page.press('Open this version in the editor');
  const [place] = [...page.drafts['values'].keys()].filter((key) => key.includes('porter'));
  expect(page.drafts.read(place ?? '')).toEqual({ revision: 'r1', text: 'Old.' });
  expect(page.buttons().at(-1)).toMatch(/The raw editor holds unsaved text: save or discard it first\./);
});
