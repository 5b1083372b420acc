import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Skeleton } from '../components/states.js';
import type { BoardSearch } from '../features/boards/board-search.js';
import type { ChangesSearch } from '../features/changes/changes-search.js';
import type { FindSearch } from '../features/find/find-search.js';
import type { FilePlace } from '../features/knowledge/use-file-panel.js';
import type { MapSearch } from '../features/map/map-search.js';
import type { LedgerSearch } from '../features/payments/ledger/ledger-search.js';
import type { SystemSearch } from '../features/system/system-search.js';
import type { RequestSearch } from '../features/usage/request-search.js';
import { Layout } from './layout.js';
import { PageError } from './page-error.js';
import { DeskPage } from './pages/desk-page.js';

/** A page whose code is loaded on the first visit. */
const pageOf = lazyRouteComponent;

type Search = Record<string, unknown>;

/** Returns a query parameter that must be one of `words`; undefined for any other value. */
const oneOf = <T extends string>(value: unknown, words: readonly T[]): T | undefined =>
  words.find((word) => word === value);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
const line = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number > 0 ? number : undefined;
};

/** For a page that validates the query itself; its rules are loaded with it. */
const readThere = <T extends object>(search: Search): T => search as T;

const filePlace = (search: Search): FilePlace => ({
  file: text(search['file']),
  from: line(search['from']),
  to: line(search['to']),
});

const rootRoute = createRootRoute({
  validateSearch: filePlace,
  component: Layout,
  notFoundComponent: pageOf(() => import('./pages/not-found-page.js'), 'NotFoundPage'),
});

const deskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search: Search): { about?: 'shown' } => ({ about: oneOf(search['about'], ['shown']) }),
  component: DeskPage,
});

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  validateSearch: (
    search: Search,
  ): { q?: string; show?: 'exposed' | 'trouble' | 'working' | 'drifted'; sort?: string; make?: 'form' | 'draft' } => ({
    q: text(search['q']),
    // The page validates the value.
    sort: text(search['sort']),
    show: oneOf(search['show'], ['exposed', 'trouble', 'working', 'drifted']),
    make: oneOf(search['make'], ['form', 'draft']),
  }),
  component: pageOf(() => import('./pages/team-page.js'), 'TeamPage'),
});

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/import',
  validateSearch: readThere<{ home?: 'shown' }>,
  component: pageOf(() => import('./pages/import-page.js'), 'ImportPage'),
});

const exportRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/export',
  validateSearch: (search: Search): { tool?: string; member?: string } => ({
    tool: text(search['tool']),
    member: text(search['member']),
  }),
  component: pageOf(() => import('./pages/export-page.js'), 'ExportPage'),
});

const memberRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team/$id',
  validateSearch: (
    search: Search,
  ): {
    tab?: 'file' | 'access' | 'tests' | 'talk' | 'requests' | 'history';
    as?: 'raw' | 'diff';
    against?: 'disk' | 'head';
    snippet?: string;
    commit?: string;
  } => ({
    // `door` is how earlier versions named it.
    tab: oneOf(search['tab'] === 'door' ? 'access' : search['tab'], [
      'file',
      'access',
      'tests',
      'talk',
      'requests',
      'history',
    ]),
    as: oneOf(search['as'], ['raw', 'diff']),
    against: oneOf(search['against'], ['disk', 'head']),
    // The member page validates the value.
    snippet: text(search['snippet']),
    commit: text(search['commit']),
  }),
  component: pageOf(() => import('./pages/member-page.js'), 'MemberPage'),
});

const requestsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests',
  validateSearch: readThere<RequestSearch>,
  component: pageOf(() => import('./pages/requests-page.js'), 'RequestsPage'),
});

const requestRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests/$rid',
  component: pageOf(() => import('./pages/request-page.js'), 'RequestPage'),
});

const talkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/talk',
  validateSearch: (search: Search): { q?: string; member?: string; show?: 'archived'; make?: 'new' } => ({
    q: text(search['q']),
    member: text(search['member']),
    show: oneOf(search['show'], ['archived']),
    make: oneOf(search['make'], ['new']),
  }),
  component: pageOf(() => import('./pages/talk-page.js'), 'TalkPage'),
});

const conversationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/talk/$conv',
  validateSearch: (search: Search): { about?: 'shown'; message?: string } => ({
    about: oneOf(search['about'], ['shown']),
    message: text(search['message']),
  }),
  component: pageOf(() => import('./pages/conversation-page.js'), 'ConversationPage'),
});

const changesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/talk/$conv/changes',
  validateSearch: readThere<ChangesSearch>,
  component: pageOf(() => import('./pages/changes/changes-page.js'), 'ChangesPage'),
});

const roadmapRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/roadmap',
  validateSearch: (search: Search): { edit?: string } => ({ edit: text(search['edit']) }),
  component: pageOf(() => import('./pages/roadmap-page.js'), 'RoadmapPage'),
});

const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  validateSearch: (search: Search): { make?: 'new'; edit?: string; show?: string } => ({
    make: oneOf(search['make'], ['new']),
    edit: text(search['edit']),
    show: text(search['show']),
  }),
  component: pageOf(() => import('./pages/schedules/schedules-page.js'), 'SchedulesPage'),
});

const savedClustersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/rooms',
  validateSearch: (search: Search): { q?: string; make?: 'new' | 'join' } => ({
    q: text(search['q']),
    make: oneOf(search['make'], ['new', 'join']),
  }),
  component: pageOf(() => import('./pages/clusters-page.js'), 'ClustersPage'),
});

const savedClusterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/rooms/$id',
  validateSearch: (search: Search): { tab?: 'boards' | 'rules' | 'share'; people?: 'shown'; kind?: string } => ({
    tab: oneOf(search['tab'], ['boards', 'rules', 'share']),
    people: oneOf(search['people'], ['shown']),
    kind: text(search['kind']),
  }),
  component: pageOf(() => import('./pages/cluster-page.js'), 'ClusterPage'),
});

const boardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/rooms/$id/b/$slug',
  validateSearch: readThere<BoardSearch>,
  component: pageOf(() => import('./pages/board-page.js'), 'BoardPage'),
});

const postRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/rooms/$id/p/$pid',
  validateSearch: (search: Search): { board?: string } => ({ board: text(search['board']) }),
  component: pageOf(() => import('./pages/post-page.js'), 'PostPage'),
});

const mapRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/map',
  validateSearch: readThere<MapSearch>,
  component: pageOf(() => import('./pages/map-page.js'), 'MapPage'),
});

const findRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/find',
  validateSearch: readThere<FindSearch>,
  component: pageOf(() => import('./pages/find-page.js'), 'FindPage'),
});

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$id',
  validateSearch: (search: Search): { skill?: string; call?: string } => ({
    skill: text(search['skill']),
    call: text(search['call']),
  }),
  component: pageOf(() => import('./pages/agent-page.js'), 'AgentPage'),
});

const ledgerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/ledger',
  validateSearch: readThere<LedgerSearch>,
  component: pageOf(() => import('./pages/ledger-page.js'), 'LedgerPage'),
});

const networkRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/network',
  validateSearch: (search: Search): { make?: 'new' | 'join'; ask?: string } => ({
    make: oneOf(search['make'], ['new', 'join']),
    ask: text(search['ask']),
  }),
  component: pageOf(() => import('./pages/network/network-page.js'), 'NetworkPage'),
});

const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models',
  component: pageOf(() => import('./pages/models/models-page.js'), 'ModelsPage'),
});

const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  validateSearch: readThere<SystemSearch>,
  component: pageOf(() => import('./pages/system-page.js'), 'SystemPage'),
});

const systemPartRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system/$part',
  validateSearch: readThere<SystemSearch>,
  component: pageOf(() => import('./pages/system-page.js'), 'SystemPage'),
});

export const createAppRouter = () =>
  createRouter({
    routeTree: rootRoute.addChildren([
      deskRoute,
      teamRoute,
      importRoute,
      exportRoute,
      memberRoute,
      requestsRoute,
      requestRoute,
      talkRoute,
      conversationRoute,
      changesRoute,
      roadmapRoute,
      schedulesRoute,
      savedClustersRoute,
      savedClusterRoute,
      boardRoute,
      postRoute,
      mapRoute,
      findRoute,
      agentRoute,
      ledgerRoute,
      networkRoute,
      modelsRoute,
      systemRoute,
      systemPartRoute,
    ]),
    basepath: '/app',
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultErrorComponent: PageError,
    defaultPendingComponent: () => <Skeleton rows={6} />,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
