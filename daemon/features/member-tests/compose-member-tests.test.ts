import { mkdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Exposure } from '../exposure/exposure.js';
import { type MemberVersion, withDefaults } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import { composeMemberTests } from './compose-member-tests.js';
import type { TestAskPort } from './test-run.js';

const ADA: MemberVersion = { ...withDefaults('ada', {}, ''), ...{ body: '', unknown_keys: [], revision: '' } };

it('the tests hold members from the start, and what cannot be read of them is a line of the log', async () => {
  const root = temporaryFolder({ '.mesh/state/member-tests.json': 'torn', 'elsewhere/ada.md': '' });
  symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/asks'));
  const logged: string[] = [];
  const app = { log: { warn: (message: string) => logged.push(message) }, register: async () => undefined };
  let tests: Parameters<Exposure['holdForTests']>[0] | undefined;
  const exposure = {
    openHeld: async () => undefined,
    holdForTests(one: typeof tests) {
      tests = one;
    },
  };
  const clock = new FakeClock();
  const tested = await composeMemberTests({
    ...{ root, state: join(root, '.mesh/state'), clock, bus: new Bus(clock), asks: {} as TestAskPort },
    app: app as unknown as App,
    exposure: exposure as unknown as Exposure,
    team: { onRemoved: () => undefined, onGone: () => undefined, onChanged: () => undefined } as unknown as Team,
  });
  onTestFinished(() => tested.stop());
  await tested.start();
  expect(logged).toEqual([
    expect.stringMatching(/member-tests\.json is not JSON/),
    expect.stringMatching(/asks must be a plain directory/),
  ]);
  expect(statSync(join(root, '.mesh/state/member-tests.json')).mode & 0o777).toBe(0o600);
  expect(tests?.findHold(ADA)).toBeUndefined();
  unlinkSync(join(root, '.mesh/asks'));
  mkdirSync(join(root, '.mesh/asks'));
  writeFileSync(join(root, '.mesh/asks/ada.md'), '---\nblocks_exposure: true\n---\n## A?\n- says: a\n');
  await tests?.look('ada', false);
  expect(tests?.findHold(ADA)).toContain('were never run');
});
