import type { Page } from '@playwright/test';
import type { Conversation } from '../daemon/contract/conversations.js';
import { createClusterWithBoards, LISBON } from './a-board.js';
import { Reporter, register } from './an-agent.js';
import { expect, expectDrawn, type Project } from './fixtures.js';

/** The ids of what `fill` creates, so that every page has something to show. */
export interface Held {
  request: string;
  conv: string;
  room: string;
  post: string;
}

/** Ids that do not exist, for pages that are loading or have failed. */
export const NOTHING: Held = { request: 'req-none', conv: 'conv-none', room: 'c_none', post: 'p_none' };

/** A route: its heading, which may depend on the address, and the addresses to visit. */
interface PageRow {
  heading: string | ((place: string) => string);
  places: (held: Held) => readonly string[];
}

/** Returns the heading of a route at an address. */
export const headingAt = ({ heading: name }: PageRow, place: string) => (typeof name === 'string' ? name : name(place));

/** The parts of System. */
export const SYSTEM_PARTS = ['settings', 'health', 'security', 'log', 'about'] as const;
const partPlaces = () => SYSTEM_PARTS.map((part) => `/system/${part}`);
const partHeading = (place: string) => {
  const [, first = '', rest = ''] = /^\/system\/(.)(\w*)/.exec(place) ?? [];
  return `${first.toUpperCase()}${rest}`;
};

/** Every route of the dashboard with its heading (with data) and the addresses to visit, every tab included. */
export const PAGES: Readonly<Record<string, PageRow>> = {
  '/': { heading: 'Home', places: () => ['/'] },
  '/team': { heading: 'Team', places: () => ['/team'] },
  '/import': { heading: 'Import agents', places: () => ['/import?home=shown'] },
  '/export': { heading: 'Export', places: () => ['/export'] },
  '/team/$id': {
    heading: 'Consultant',
    places: () => [
      '/team/consultant',
      '/team/consultant?tab=file',
      '/team/consultant?tab=file&as=raw',
      '/team/consultant?tab=access',
      '/team/consultant?tab=tests',
      '/team/consultant?tab=talk',
      '/team/consultant?tab=requests',
      '/team/consultant?tab=history',
    ],
  },
  '/requests': {
    heading: 'Requests',
    places: () => ['/requests', '/requests?tab=refused', '/requests?tab=usage'],
  },
  '/requests/$rid': {
    heading: 'Ask to Consultant',
    places: ({ request }) => [`/requests/${request}`, `/requests/${request}?file=README.md&from=11&to=11`],
  },
  '/talk': { heading: 'Conversations', places: () => ['/talk'] },
  '/talk/$conv': { heading: 'The lamp', places: ({ conv }) => [`/talk/${conv}`, `/talk/${conv}?about=shown`] },
  '/talk/$conv/changes': { heading: 'Changes', places: ({ conv }) => [`/talk/${conv}/changes`] },
  '/roadmap': { heading: 'Roadmap', places: () => ['/roadmap'] },
  '/schedules': { heading: 'Schedules', places: () => ['/schedules', '/schedules?make=new'] },
  '/rooms': { heading: 'Clusters', places: () => ['/rooms'] },
  '/rooms/$id': {
    heading: 'Iberian exchange',
    places: ({ room: clusterName }) => [
      `/rooms/${clusterName}`,
      `/rooms/${clusterName}?tab=boards`,
      `/rooms/${clusterName}?tab=rules`,
      `/rooms/${clusterName}?tab=share`,
    ],
  },
  '/rooms/$id/b/$slug': {
    heading: 'For sale',
    places: ({ room: clusterName }) => [`/rooms/${clusterName}/b/sale`, `/rooms/${clusterName}/b/sale?show=map`],
  },
  '/rooms/$id/p/$pid': {
    heading: 'A lamp',
    places: ({ room: clusterName, post }) => [`/rooms/${clusterName}/p/${post}`],
  },
  '/map': { heading: 'Map', places: () => ['/map'] },
  '/find': { heading: 'Agent search', places: () => ['/find?q=paint&price=1'] },
  '/agents/$id': { heading: 'painter', places: () => ['/agents/painter'] },
  '/ledger': { heading: 'Payments', places: () => ['/ledger'] },
  '/network': { heading: 'Shared network', places: () => ['/network'] },
  '/models': { heading: 'Connect a model', places: () => ['/models'] },
  '/system': { heading: 'Settings', places: () => ['/system'] },
  '/system/$part': { heading: partHeading, places: partPlaces },
};

/** The files that the repository must contain for it. */
export const FILES: Readonly<Record<string, string>> = {
  '.mesh/roadmap.md':
    '- [ ] dusk: Let the lights come on earlier @developer\n- [-] quay: Draw the quay\n  reason: No paper.\n- ' +
    '[x] ports: Done\n',
};

/** Creates something to show for every page. */
export async function fill(project: Project): Promise<Held> {
  const { request_id: request } = await project.answer('consultant', 'What is the default of LAMP_ANGLE?');
  await fetch(`${project.address}/team/consultant/ask`, { method: 'POST' });
  const { conv } = await project.api<Conversation>('POST', '/conversations', {
    member: 'consultant',
    title: 'The lamp',
  });
  await project.api('POST', `/conversations/${conv}/messages`, { text: 'On which port does it listen?' });
  await project.api('POST', '/schedules', { member: 'developer', text: 'Look at the lamps', cron: '0 9 * * 1-5' });
  await register(
    project,
    'painter',
    { endpoint: 'https://painter.example/', description: 'Paints.', tags: ['image'], protocols: ['http'] },
    ['paint'],
  );
  await new Reporter(project).report('painter', { dims: { reliability: 1, speed: 0.5, quality: 0.5, settlement: 1 } });
  const cluster = await createClusterWithBoards(project, { props: { where: LISBON } });
  await cluster.board({ slug: 'sale', name: 'For sale' });
  await cluster.board({ slug: 'flats', name: 'Flats' });
  const { id: post } = await cluster.post('sale', 'grace', { title: 'A lamp', body: 'It **shines**.' });
  await project.api('POST', '/wallets', { name: 'main' });
  project.write('.mesh/team/ui-reviewer.md', '---\nname: [not closed\n---\n');
  return { request, conv, room: cluster.id, post };
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, includeHidden: true });

/** Waits until the heading is there and nothing on the page is loading. */
export async function arrived(page: Page, name: string): Promise<void> {
  await expect(heading(page, name)).toBeAttached();
  await expectDrawn(page);
}

/** Navigates within the same document, as a link does. */
export const go = (page: Page, path: string) => page.evaluate((to) => history.pushState({}, '', `/app${to}`), path);

/** The same routes without any data. A route without an entry is about one thing and is never empty. */
export const EMPTY: typeof PAGES = {
  '/': { heading: 'Home', places: () => ['/'] },
  '/team': { heading: 'Team', places: () => ['/team?q=nobody'] },
  '/import': { heading: 'Import agents', places: () => ['/import'] },
  '/team/$id': {
    heading: 'Deployer',
    places: () => ['', '?tab=access', '?tab=tests', '?tab=talk'].map((tab) => `/team/deployer${tab}`),
  },
  '/requests': {
    heading: 'Requests',
    places: () => ['/requests', '/requests?q=nothing', '/requests?tab=refused', '/requests?tab=usage'],
  },
  '/talk': { heading: 'Conversations', places: () => ['/talk', '/talk?q=nothing', '/talk?show=archived'] },
  '/roadmap': { heading: 'Roadmap', places: () => ['/roadmap'] },
  '/schedules': { heading: 'Schedules', places: () => ['/schedules'] },
  '/rooms': { heading: 'Clusters', places: () => ['/rooms', '/rooms?q=nothing'] },
  '/rooms/$id': {
    heading: 'The Commons',
    places: () => ['/rooms/the-commons?tab=boards', '/rooms/the-commons?tab=share'],
  },
  '/map': { heading: 'Map', places: () => ['/map', '/map?q=nothing'] },
  '/find': { heading: 'Agent search', places: () => ['/find', '/find?q=nothing+of+the+kind'] },
  '/ledger': { heading: 'Payments', places: () => ['/ledger'] },
  '/network': { heading: 'Shared network', places: () => ['/network'] },
  '/system/$part': { heading: partHeading, places: partPlaces },
};
