import { expect, it } from 'vitest';
import type { FileState } from '../../storage/members/markdown-folder.js';
import { MemberFiles } from './member-files.js';

const STATES = new Map<string, FileState>([
  ['one', { kind: 'text', text: '---\ndescription: D\n---\n\nB\n', revision: 'r1' }],
  ['two', { kind: 'text', text: '---\na: [\n---\n', revision: 'r2' }],
  ['three', { kind: 'unreadable', problem: { line: 1, column: 1, reason: 'A link.' }, revision: 'r3' }],
  ['five', { kind: 'text', text: 'C\n', revision: 'r5' }],
]);
const ids = ['five', 'two', 'three', 'four', 'one'];
const files = new MemberFiles(
  { list: async () => ({ members: ids.map((id) => ({ id })) }) as never },
  { read: async (id) => STATES.get(id) },
);

it('members are listed in the order of the roster, without those that cannot be read', async () => {
  expect((await files.list()).map(({ id, revision, text }) => [id, revision, text])).toEqual([
    ['five', 'r5', 'C\n'],
    ['one', 'r1', '---\ndescription: D\n---\n\nB\n'],
  ]);
  expect(await files.readableIds()).toEqual(['five', 'one']);
  expect(await files.takenIds()).toEqual(new Set(ids));
});

it('a member has its content', async () => {
  expect(await files.get('one')).toMatchObject({ id: 'one', content: { keys: { description: 'D' }, body: 'B\n' } });
  expect([await files.find('two'), await files.find('three'), await files.find('four')]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

it('a member that is broken or unknown is told apart', async () => {
  for (const id of ['two', 'three'])
    await expect(files.get(id)).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'id' } },
      message: `The file of \`${id}\` is broken: mend it first (\`meshd team ls\` says where).`,
    });
  await expect(files.get('six')).rejects.toMatchObject({
    ...{ code: 'not_found', message: 'There is no member `six`.' },
  });
  await expect(files.get('../x')).rejects.toMatchObject({ code: 'bad_request', details: { path: 'id' } });
});
