import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { standInDaemon } from '../../testing/processes/daemon-stand-in.js';

it('meshd team edit --json that leaves a broken file prints the member in the object of the failure', async () => {
  const member = { id: 'ada', state: 'broken', problem: { line: 2, column: 7, reason: 'a list is open' } };
  const { root } = await standInDaemon({ 'PATCH /team/ada': { ...member, token: 'mk_secret' } });
  const told = await meshd(root, 'team', 'edit', 'ada', '--set', 'effort=high', '--json');
  expect([told.exit, JSON.parse(told.out)]).toEqual([
    1,
    { error: 'broken_member', message: '.mesh/team/ada.md:2:7: a list is open', member },
  ]);
  const printed = await meshd(root, 'team', 'edit', 'ada', '--set', 'effort=high');
  expect(printed).toMatchObject({ exit: 1, out: 'Changed effort of ada.\n' });
});
