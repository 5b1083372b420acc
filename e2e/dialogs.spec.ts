import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { FILES, fill, go, type Held } from './every-page.js';
import { expect, expectAccessible, open, test } from './fixtures.js';

interface Opened {
  place: (held: Held) => string;
  open: (page: Page) => Promise<void>;
}

const pressed =
  (...names: (string | RegExp)[]): Opened['open'] =>
  async (page) => {
    for (const name of names)
      await page
        .locator('main')
        .getByRole('button', { name, exact: typeof name === 'string' })
        .first()
        .click();
  };
const byAddress = async () => undefined;
const keys =
  (combination: string): Opened['open'] =>
  (page) =>
    page.keyboard.press(combination);
const dialog = (page: Page) => page.getByRole('dialog');

const MADE = '2026-11-27T05:00:00.000Z';
/** The checkpoints of a conversation, and what changed since. */
const CHANGED = {
  ...{ conv: 'conv-1', problem: null, count: 1, from: 'start', to: 'working', left_out: 0, additions: 1, deletions: 0 },
  files: [
    {
      ...{ path: 'src/lamp.ts', old_path: null, status: 'added', additions: 1, deletions: 0 },
      ...{ binary: true, generated: false },
    },
  ],
  checkpoints: [
    {
      ...{ checkpoint: 'start', kind: 'start', turn: null, commit: 'abc', files: 0, additions: 0, deletions: 0 },
      ...{ left_out: [], others: [], created_at: MADE },
    },
  ],
};
/** A daemon that follows a network. */
const FOLLOWING = {
  ...{ state: 'following', network: 'docks', url: 'nats://127.0.0.1:4222', daemon: 'key', sequence: 1, lag: 0 },
  ...{ server: null, replicas: null, fsync: null, promise: null, problem: null, refused: 0, refusals: [] },
  frames: { sent: 0, received: 0, dropped: [] },
};
const WORKTREES = {
  ...{ count: 1, disk_bytes: 4_096, folder: '/worktrees', problem: null },
  worktrees: [
    {
      ...{ conv: 'conv-1', title: 'Name the unit', member: 'developer', path: '/worktrees/conv-1', branch: null },
      ...{ base: 'abc', base_branch: 'main', disk_bytes: 4_096, changed_files: 1, running: false, repositories: [] },
      ...{ created_at: MADE, used_at: MADE },
    },
  ],
};

/** Shows the page as it is when `path` of the daemon is answered so: nothing was changed in the held project. */
async function answered(page: Page, path: RegExp, json: object, press: () => Promise<void>): Promise<void> {
  await page.route(path, (route) => route.fulfill({ json }));
  await page.reload();
  await press();
  await page.unrouteAll();
}

/** A member that another daemon shares. */
const COLLEAGUE = {
  ...{ ref: 'pier/consultant', project: 'pier', daemon: 'other', daemon_name: 'Pier', self: false, problem: null },
  ...{ member: 'consultant', name: 'Consultant', description: 'Answers.' },
};
async function inNetwork(page: Page): Promise<void> {
  await page.route(/\d\/network\/agents$/, (route) => route.fulfill({ json: { agents: [COLLEAGUE], count: 1 } }));
  await answered(page, /\d\/network$/, FOLLOWING, () => expect(dialog(page)).toBeVisible());
}

/** Every file that renders dialogs, and how each dialog is opened, in the order of the file. */
const DIALOGS: Readonly<Record<string, readonly Opened[]>> = {
  'app/command-palette.tsx': [{ place: () => '/', open: keys('Control+k') }],
  'app/shortcut-sheet.tsx': [{ place: () => '/', open: keys('?') }],
  'features/boards/delete-board.tsx': [
    { place: ({ room: cluster }) => `/rooms/${cluster}/b/sale`, open: pressed(/^Delete/) },
  ],
  'features/boards/edit-board-dialog.tsx': [
    { place: ({ room: cluster }) => `/rooms/${cluster}/b/sale`, open: pressed('Edit') },
  ],
  'features/boards/new-board-dialog.tsx': [
    { place: ({ room: cluster }) => `/rooms/${cluster}?tab=boards`, open: pressed('New board') },
  ],
  'features/boards/posts/post-form.tsx': [
    {
      // A board that the page considers open to everyone until the daemon refuses.
      place: ({ room: cluster }) => `/rooms/${cluster}/b/sale`,
      open: async (page) => {
        await page.route(/\/boards\/[^/]+\/posts\?/, (route) =>
          route.request().method() === 'POST'
            ? route.fulfill({
                status: 403,
                json: { error: 'age_gated', message: 'Of age only.', id: 'err-1', age_min: 21 },
              })
            : route.fallback(),
        );
        await pressed('Post')(page);
        await dialog(page).getByRole('textbox', { name: 'Title' }).fill('Wine');
        await dialog(page).getByRole('button', { name: 'Post', exact: true }).click();
        await expect(dialog(page).getByText(/people aged 21 and older/)).toBeVisible();
        await page.unrouteAll();
      },
    },
    { place: ({ room: cluster }) => `/rooms/${cluster}/b/sale`, open: pressed('Post') },
  ],
  'features/budgets/budget-dialog.tsx': [{ place: () => '/requests?tab=usage', open: pressed('Set budget') }],
  'features/changes/merge/merge-dialog.tsx': [
    { place: ({ conv }) => `/talk/${conv}/changes?merge=shown`, open: byAddress },
  ],
  'features/changes/rewind-dialog.tsx': [
    {
      place: ({ conv }) => `/talk/${conv}/changes`,
      open: (page) =>
        answered(page, /\/conversations\/[^/]+\/(checkpoints|changes)(\?|$)/, CHANGED, async () => {
          await page.getByText('Checkpoints (1)').click();
          await page.getByRole('button', { name: /^Rewind or fork/ }).click();
        }),
    },
  ],
  'features/conversations/worktrees-panel.tsx': [
    {
      place: () => '/system/health',
      open: (page) =>
        answered(page, /\/worktrees$/, WORKTREES, () =>
          page.getByRole('button', { name: /^Remove the worktree of/ }).click(),
        ),
    },
  ],
  'features/schedules/schedule-form.tsx': [{ place: () => '/schedules?make=new', open: byAddress }],
  'features/conversations/list/new-conversation-dialog.tsx': [{ place: () => '/talk?make=new', open: byAddress }],
  'features/exposure/token-row.tsx': [
    { place: () => '/team/consultant?tab=access', open: pressed('Rotate') },
    { place: () => '/team/consultant?tab=access', open: pressed('Revoke') },
  ],
  'features/knowledge/file-panel.tsx': [
    { place: ({ request }) => `/requests/${request}?file=README.md&from=11&to=11`, open: byAddress },
  ],
  'features/network/network-form.tsx': [{ place: () => '/network?make=join', open: byAddress }],
  'features/network/ask-colleague.tsx': [
    { place: () => '/network?ask=reef/consultant', open: inNetwork },
    { place: () => '/network?ask=pier/consultant', open: inNetwork },
  ],
  'features/network/leave-network.tsx': [
    {
      place: () => '/network',
      // Answered so from here on, because the page reads the state again and again. Nothing else reads it.
      open: async (page) => {
        await page.route(/\d\/network$/, (route) => route.fulfill({ json: FOLLOWING }));
        await page.reload();
        await pressed('Leave the network')(page);
      },
    },
  ],
  'features/payments/caps-panel.tsx': [{ place: () => '/ledger', open: pressed('Set caps') }],
  'features/payments/wallets-panel.tsx': [
    { place: () => '/ledger', open: pressed('Fund') },
    { place: () => '/ledger', open: pressed('New wallet') },
  ],
  'features/roadmap/edit-task-dialog.tsx': [{ place: () => '/roadmap', open: pressed(/^Edit/) }],
  'features/clusters/admin-token-step.tsx': [
    {
      place: () => '/rooms?make=new',
      open: async (page) => {
        await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Harbour crew');
        await dialog(page).getByRole('button', { name: 'Create' }).click();
        await expect(dialog(page).getByText(/^ak_/)).toBeVisible();
      },
    },
  ],
  'features/clusters/wall/post-from-message.tsx': [
    {
      place: ({ room: cluster }) => `/rooms/${cluster}`,
      open: async (page) => {
        await page.getByRole('textbox', { name: /^Message to/ }).fill('word '.repeat(1000));
        await pressed('Send as board post')(page);
      },
    },
  ],
  'features/clusters/create-cluster-dialog.tsx': [{ place: () => '/rooms?make=new', open: byAddress }],
  'features/clusters/delete-cluster.tsx': [
    { place: ({ room: cluster }) => `/rooms/${cluster}?tab=rules`, open: pressed('Delete the cluster') },
  ],
  'features/clusters/join-cluster-dialog.tsx': [{ place: () => '/rooms?make=join', open: byAddress }],
  'features/clusters/leave-cluster.tsx': [
    { place: ({ room: cluster }) => `/rooms/${cluster}?tab=share`, open: pressed('Leave the cluster') },
  ],
  'features/clusters/share-tab.tsx': [
    { place: ({ room: cluster }) => `/rooms/${cluster}?tab=share`, open: pressed('Forget') },
  ],
  'features/team/delete-member.tsx': [{ place: () => '/team/consultant', open: pressed('Delete') }],
  'features/team/new-member-dialog.tsx': [
    { place: () => '/team?make=form', open: byAddress },
    {
      place: () => '/team?make=draft',
      open: async (page) => {
        await dialog(page).getByLabel('What should the member do?').fill('Reads the tide tables every morning.');
        await dialog(page).getByRole('button', { name: 'Generate' }).click();
        await expect(dialog(page).getByLabel('Initial prompt')).toBeVisible();
      },
    },
    { place: () => '/team?make=draft', open: byAddress },
  ],
  'features/team/roster/change-members-dialog.tsx': [
    {
      place: () => '/team',
      open: async (page) => {
        await page.getByLabel('Select Consultant').check();
        await page.getByRole('button', { name: 'Change', exact: true }).click();
      },
    },
  ],
  'features/team/roster/selection-actions.tsx': [
    {
      place: () => '/team',
      open: async (page) => {
        await page.getByLabel('Select Consultant').check();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
      },
    },
  ],
  'features/team/tokens-panel.tsx': [{ place: () => '/system/security', open: pressed('Rotate all') }],
};

test('every dialog of the dashboard has its row here', () => {
  const ui = fileURLToPath(new URL('../ui', import.meta.url));
  const drawn: Record<string, number> = {};
  for (const folder of ['app', 'components', 'features']) {
    for (const file of readdirSync(join(ui, folder), { recursive: true, encoding: 'utf8' })) {
      const name = `${folder}/${file}`;
      // The building blocks of other dialogs are tested where they are used.
      if (!name.endsWith('.tsx') || ['components/dialog.tsx', 'components/typed-deletion.tsx'].includes(name)) continue;
      const count = readFileSync(join(ui, name), 'utf8').match(/<(?:Dialog|dialog|TypedDeletion)\s/g)?.length ?? 0;
      if (count > 0) drawn[name] = count;
    }
  }
  expect(Object.fromEntries(Object.entries(DIALOGS).map(([file, rows]) => [file, rows.length]))).toEqual(drawn);
});

test.use({ files: FILES });

test('every dialog holds to the rules in both themes', async ({ page, project }) => {
  test.slow();
  const held = await fill(project);
  await open(page, project, '/system');
  for (const [file, rows] of Object.entries(DIALOGS)) {
    for (const [at, { place, open: show }] of rows.entries()) {
      await test.step(`${file} ${at + 1}`, async () => {
        // Navigates away and back, which discards the state that another dialog left.
        await go(page, '/export');
        await expect(page.getByRole('heading', { level: 1, name: 'Export' })).toBeVisible();
        await go(page, place(held));
        await show(page);
        await expect(dialog(page)).toHaveCount(1);
        await expectAccessible(page, { within: 'dialog[open]' });
        await page.keyboard.press('Escape');
      });
    }
  }
});
