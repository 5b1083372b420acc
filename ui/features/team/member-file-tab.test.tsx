// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { drawPart, removeAfterEach, soon, stubDaemon } from '../../testing/drawn.js';
import { MemberFileTab } from './member-file-tab.js';

removeAfterEach();

const MEMBER = { id: 'porter', state: 'broken', revision: 'r1' } as MemberDetail;

it.each([
  ['form', true],
  ['raw', false],
])('says in the raw text whether the other view holds what is not saved: %s', async (typed, isSaid) => {
  stubDaemon(() => ({ body: { path: 'porter.md', text: 'Words.', revision: 'r1' } }));
  const page = await drawPart(<MemberFileTab member={MEMBER} as="raw" against={undefined} />, {
    ...{ route: '/team/$id', at: '/team/porter' },
  });
  await soon(() => page.drafts.write(`member.porter.${typed}`, { revision: 'r1', text: 'Other.' }));
  expect(page.words().includes('The form holds unsaved changes that are not in this view.')).toBe(isSaid);
});
