// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Preferences } from '../../../daemon/contract/system.js';
import type { SeenProject } from '../../features/projects/seen-projects.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { useOwnCommands } from './own-commands.js';

removeAfterEach();

const NOTHING = () => undefined;

/** The commands as buttons. */
function AllCommands() {
  return useOwnCommands(NOTHING).known.map(({ id, name, run }) => (
    <button key={id} type="button" onClick={run}>
      {name}
    </button>
  ));
}

const PREFERENCES = {
  ...{ theme: 'dark', density: 'comfortable', enter_sends: true, single_key_shortcuts: false },
  ...{ announcements: true, rail_collapsed: false },
} as Preferences;
const project = (name: string, changed: Partial<SeenProject>) => ({
  name,
  root: `/${name}`,
  address: 'http://127.0.0.1:4401',
  current: false,
  seenAt: undefined,
  ...changed,
});

async function drawCommands(at?: string) {
  const calls = stubDaemon(({ path }) => (path === '/preferences' ? { body: PREFERENCES } : { status: 503, body: {} }));
  const page = await drawPart(<AllCommands />, {
    ...(at === undefined ? {} : { route: '/talk/$conv', at }),
    known: [
      [['preferences'], PREFERENCES],
      [['team', 'list'], { members: [] }],
      [['rooms'], []],
      [['projects'], [project('here', { current: true }), project('there', {}), project('gone', { seenAt: 1 })]],
    ],
  });
  return { page, changed: () => calls.filter(({ method }) => method === 'PATCH').map(({ body }) => body) };
}

it.each([
  ['Enter sends: off', { enter_sends: false }],
  ['Single-key shortcuts: on', { single_key_shortcuts: true }],
  ['Rows: compact', { density: 'compact' }],
  ['Theme: light', { theme: 'light' }],
])('changes a preference to what it is not: %s', async (name, patch) => {
  const { page, changed } = await drawCommands();
  await page.press(name);
  expect(changed()).toEqual([patch]);
});

it('goes only to other projects whose daemon runs', async () => {
  const { page } = await drawCommands();
  expect(page.buttons().filter((name) => name.startsWith('Go to project'))).toEqual(['Go to project there']);
});

it('opens the merge of the conversation, and the log from warnings on', async () => {
  const { page } = await drawCommands('/talk/conv-1');
  await page.press('Merge this conversation');
  expect(page.address()).toBe('/talk/conv-1/changes?merge=shown');
  const other = await drawCommands();
  await other.page.press('Show the log');
  expect(other.page.address()).toBe('/system/log?log=warn');
});
