// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Member, MemberDetail } from '../../../daemon/contract/team.js';
import { drawPart, type MadeCall, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { AgreementNotice } from './agreement-notice.js';
import { AgreementsPanel } from './agreements-panel.js';
import { WaitingMembers } from './waiting-members.js';

removeAfterEach();

const member = (id: string, exposure_hold: Member['exposure_hold'] = 'agreement') =>
  ({ id, name: id, exposure_hold }) as MemberDetail;
const members = (count: number) => Array.from({ length: count }, (_, at) => member(`m${at + 1}`));
const made = (calls: readonly MadeCall[]) =>
  calls.filter(({ method }) => method === 'POST').map(({ path }) => path.replace('/team/', ''));

it('keeps every member internal when the operator refuses them all', async () => {
  const calls = stubDaemon();
  const page = await drawPart(<WaitingMembers members={members(2)} />);
  await page.press('Keep all internal');
  expect(made(calls)).toEqual(['m1/keep-internal', 'm2/keep-internal']);
  expect(page.words()).toContain('Kept internal: m1, m2.');
});

it('exposes each member when the operator agrees to all', async () => {
  const calls = stubDaemon();
  const page = await drawPart(<WaitingMembers members={members(2)} />);
  await page.press('Expose all 2');
  expect(made(calls)).toEqual(['m1/expose', 'm2/expose']);
  expect(page.words()).toContain('Exposed: m1, m2.');
});

it('says that a member was not exposed, and tries the others', async () => {
  const calls = stubDaemon(({ path }) =>
    path === '/team/m1/expose' ? { status: 409, body: { error: 'conflict', message: 'It is broken.' } } : undefined,
  );
  const page = await drawPart(<WaitingMembers members={members(2)} />);
  await page.press('Expose all 2');
  expect(made(calls)).toEqual(['m1/expose', 'm2/expose']);
  expect(page.words()).toContain('Not every member was exposed or kept internal.It is broken.');
  expect(page.words()).not.toContain('Exposed:');
});

it('lists eight members, and all others on request', async () => {
  stubDaemon();
  const page = await drawPart(<WaitingMembers members={members(10)} isWhole />);
  expect(page.words()).toContain('and 2 more.');
  expect(page.buttons().filter((name) => name.startsWith('Expose m'))).toHaveLength(10);
});

it('keeps a member internal on its own page', async () => {
  const calls = stubDaemon();
  const page = await drawPart(<AgreementNotice member={member('porter')} />);
  await page.press('Keep internal');
  expect(made(calls)).toEqual(['porter/keep-internal']);
});

it('offers no exposure of a member that its tests keep internal', async () => {
  stubDaemon();
  const team = [member('usher'), member('pilot', 'kept_internal'), member('developer', 'tests')];
  const page = await drawPart(<AgreementsPanel />, { known: [[['team', 'list'], { members: team }]] });
  expect(page.buttons()).toEqual(['Expose usher', 'Keep usher internal', 'Expose pilot']);
});
