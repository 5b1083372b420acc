import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page, Route } from '@playwright/test';
import type { Conversation } from '../daemon/contract/conversations.js';
import { LISBON, roomWithBoards } from './a-board.js';
import { Reporter, register } from './an-agent.js';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';
import { cutWords, hiddenFocus, moving, SPACED, sticksOut, TWICE, withStyle } from './readable.js';

/** What a daemon holds when every page has something to show. */
interface Held {
  request: string;
  conv: string;
  room: string;
  post: string;
}

/** A daemon without any of it: what is loading or failed looks the same whatever the ids. */
const NOTHING: Held = { request: 'req-none', conv: 'conv-none', room: 'c_none', post: 'p_none' };

/** Every route of the dashboard, and where in it there is something to see, each tab first of all. The heading is that of the page with its data. */
const PAGES: Readonly<Record<string, { heading: string; places: (held: Held) => readonly string[] }>> = {
  '/': { heading: 'Desk', places: () => ['/'] },
  '/team': { heading: 'Team', places: () => ['/team'] },
  '/import': { heading: 'Import agents', places: () => ['/import?home=shown'] },
  '/export': { heading: 'Export', places: () => ['/export'] },
  '/team/$id': {
    heading: 'Consultant',
    places: () => [
      '/team/consultant',
      '/team/consultant?tab=file',
      '/team/consultant?tab=file&as=raw',
      '/team/consultant?tab=door',
      '/team/consultant?tab=tests',
      '/team/consultant?tab=talk',
      '/team/consultant?tab=requests',
      '/team/consultant?tab=history',
    ],
  },
  '/requests': { heading: 'Requests', places: () => ['/requests'] },
  '/requests/$rid': {
    heading: 'Ask to Consultant',
    places: ({ request }) => [`/requests/${request}`, `/requests/${request}?file=README.md&from=11&to=11`],
  },
  '/talk': { heading: 'Talk', places: () => ['/talk'] },
  '/talk/$conv': { heading: 'The lamp', places: ({ conv }) => [`/talk/${conv}`, `/talk/${conv}?about=shown`] },
  '/roadmap': { heading: 'Roadmap', places: () => ['/roadmap'] },
  '/rooms': { heading: 'Rooms', places: () => ['/rooms'] },
  '/rooms/$id': {
    heading: 'Iberian exchange',
    places: ({ room }) => [`/rooms/${room}`, `/rooms/${room}?tab=boards`, `/rooms/${room}?tab=rules`, `/rooms/${room}?tab=share`],
  },
  '/rooms/$id/b/$slug': { heading: 'For sale', places: ({ room }) => [`/rooms/${room}/b/sale`, `/rooms/${room}/b/sale?view=map`] },
  '/rooms/$id/p/$pid': { heading: 'A lamp', places: ({ room, post }) => [`/rooms/${room}/p/${post}`] },
  '/map': { heading: 'Map', places: () => ['/map'] },
  '/find': { heading: 'Find', places: () => ['/find?q=paint&price=1'] },
  '/agents/$id': { heading: 'painter', places: () => ['/agents/painter'] },
  '/ledger': { heading: 'Ledger', places: () => ['/ledger'] },
  '/system': { heading: 'System', places: () => ['/system'] },
};

const FILE = '.mesh/roadmap.md';
test.use({
  files: {
    [FILE]: '- [ ] dusk: Let the lights come on earlier @developer\n- [-] quay: Draw the quay\n  reason: No paper.\n- [x] ports: Done\n',
  },
});

async function fill(project: Project): Promise<Held> {
  const { request_id: request } = await project.answer('consultant', 'What is the default of LAMP_ANGLE?');
  const { conv } = await project.api<Conversation>('POST', '/conversations', { member: 'consultant', title: 'The lamp' });
  await project.api('POST', `/conversations/${conv}/messages`, { text: 'On which port does it listen?' });
  await register(
    project,
    'painter',
    { endpoint: 'https://painter.example/', description: 'Paints.', tags: ['image'], protocols: ['http'] },
    ['paint'],
  );
  await new Reporter(project).report('painter', { dims: { reliability: 1, speed: 0.5, quality: 0.5, settlement: 1 } });
  const room = await roomWithBoards(project, { props: { where: LISBON } });
  await room.board({ slug: 'sale', name: 'For sale' });
  const { id: post } = await room.post('sale', 'grace', { title: 'A lamp', body: 'It **shines**.' });
  await project.api('POST', '/wallets', { name: 'main' });
  project.write('.mesh/team/ui-reviewer.md', '---\nname: [not closed\n---\n');
  return { request, conv, room: room.id, post };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, includeHidden: true });

/** A page is there once its heading is, and nothing of it is still to come. */
async function arrived(page: Page, name: string): Promise<void> {
  await expect(heading(page, name)).toBeAttached();
  await expect(page.locator('main [class*=skeleton]')).toHaveCount(0);
}

/** To another place of the same document, as a link does. */
const go = (page: Page, path: string) => page.evaluate((to) => history.pushState({}, '', `/app${to}`), path);

const routes = Object.keys(PAGES);
const parts = [routes.slice(0, 5), routes.slice(5, 11), routes.slice(11, 14), routes.slice(14)];

/** A panel that one opens covers a narrow page and closes by itself: what it covers is not lost. WCAG 2.4.11, note 2. */
const isCovered = (place: string) => /[?&](file|about)=/.test(place);

test('every route of the dashboard, and every tab, has its row here', () => {
  const router = readFileSync(fileURLToPath(new URL('../ui/app/routes.tsx', import.meta.url)), 'utf8');
  expect([...router.matchAll(/^\s+path: '([^']+)'/gm)].map(([, path]) => path).sort()).toEqual([...routes].sort());
  for (const [, path = '', rest = ''] of router.matchAll(/^\s+path: '([^']+)',((?:(?!createRoute)[\s\S])*)/gm)) {
    const tabs = [...(/tab: oneOf\(search\['tab'\], \[([^\]]*)\]/.exec(rest)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, tab]) => tab);
    const shown = PAGES[path]?.places(NOTHING).join(' ') ?? '';
    for (const tab of tabs) expect(shown, path).toContain(`tab=${tab}`);
  }
});

for (const [at, part] of parts.entries()) {
  test(`pages with data hold to the rules in both themes, ${at + 1} of ${parts.length}`, async ({ page, project }) => {
    test.slow();
    const held = await fill(project);
    await open(page, project, '/system');
    for (const route of part) {
      const { heading: name = '', places } = PAGES[route] ?? { places: () => [] };
      for (const place of places(held)) {
        await test.step(place, async () => {
          await go(page, place);
          await arrived(page, name);
          await expectAccessible(page);
        });
      }
    }
  });

  test(`pages bend to the reader: narrow, enlarged, spaced, still, ${at + 1} of ${parts.length}`, async ({ page, project }) => {
    test.slow();
    const held = await fill(project);
    await open(page, project, '/system');
    for (const route of part) {
      const { heading: name = '', places } = PAGES[route] ?? { places: () => [] };
      for (const place of places(held)) {
        await test.step(place, async () => {
          await page.setViewportSize({ width: 1280, height: 640 });
          await go(page, place);
          await arrived(page, name);
          expect.soft(await moving(page), 'without motion').toEqual([]);
          expect.soft(await hiddenFocus(page), 'focus under a bar').toEqual([]);
          await withStyle(page, TWICE, async () => {
            expect.soft(await sticksOut(page), 'text of twice the size').toEqual([]);
          });
          await withStyle(page, SPACED, async () => {
            expect.soft(await sticksOut(page), 'spaced').toEqual([]);
            expect.soft(await cutWords(page), 'spaced').toEqual([]);
          });
          await page.setViewportSize({ width: 320, height: 640 });
          expect.soft(await sticksOut(page), '320 px').toEqual([]);
          if (!isCovered(place)) expect.soft(await hiddenFocus(page), 'focus under a bar at 320 px').toEqual([]);
          await withStyle(page, SPACED, async () => expect.soft(await sticksOut(page), 'spaced at 320 px').toEqual([]));
        });
      }
    }
  });
}

/** What the daemon says to a page that it has kept waiting. */
const FAILED = 500;
/** What it says at once: that one may not, that there is none. */
const REFUSALS = [403, 404];

for (const [at, part] of parts.entries()) {
  test(`pages hold to the rules while they wait, and when the daemon fails or refuses, ${at + 1} of ${parts.length}`, async ({
    page,
    project,
  }) => {
    test.slow();
    let status: number | undefined;
    const waiting: Route[] = [];
    const refuse = (one: Route, code: number) =>
      one.fulfill({ status: code, json: { error: 'internal', message: 'The daemon says no.', id: 'err-1' } });
    await page.route(
      ({ port, pathname }) => port === String(project.port) && !pathname.startsWith('/app'),
      (one) => (status === undefined ? void waiting.push(one) : refuse(one, status)),
    );
    const main = page.locator('main');
    const see = async (sign: Locator, what: string) => {
      await expect(sign.first(), what).toBeAttached();
      await expectAccessible(page, { within: 'main' });
    };
    const said = main.getByText(/There is no such|The daemon says no/);
    for (const route of part) {
      const [place = ''] = PAGES[route]?.places(NOTHING) ?? [];
      status = undefined;
      await page.goto(`${project.address}/app${place}`);
      await see(main.locator('[class*=skeleton]'), `${place} waits`);
      status = FAILED;
      await Promise.all(waiting.splice(0).map((one) => refuse(one, FAILED)));
      await see(said, `${place} ${FAILED}`);
      // Only what a page is about can be refused or unknown.
      if (!route.includes('$')) continue;
      for (const code of REFUSALS) {
        status = code;
        await page.goto(`${project.address}/app${place}`);
        await see(said, `${place} ${code}`);
      }
    }
  });
}
