import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { Refusal, standInDaemon } from '../../testing/processes/daemon-stand-in.js';

it('meshd token rotate --all that fails midway keeps the tokens that were made, in one object with --json', async () => {
  const { root } = await standInDaemon({
    'GET /team': { members: [{ id: 'one', token_last4: 'aaaa' }, { id: 'inner' }, { id: 'two', token_last4: 'bbbb' }] },
    'POST /team/one/token/rotate': { id: 'one', token: 'mk_new' },
    'POST /team/two/token/rotate': new Refusal(507, { error: 'no_space', message: 'The disk is full.', free: 0 }),
  });
  const told = await meshd(root, 'token', 'rotate', '--all', '--json');
  expect([told.exit, JSON.parse(told.out)]).toEqual([
    1,
    { error: 'no_space', message: 'The disk is full.', free: 0, rotated: [{ id: 'one', token: 'mk_new' }] },
  ]);
  expect(await meshd(root, 'token', 'rotate', '--all')).toMatchObject({
    exit: 1,
    out: 'one\tmk_new\n',
    err: expect.stringContaining('The disk is full.'),
  });
});
