import { Type } from 'typebox';
import type { MapData } from '../../contract/saved-clusters.js';
import type { AnyReply, App } from '../../http/route-types.js';
import { wantsPage } from './accept.js';
import { clusterPage, unknownClusterPage } from './cluster-page.js';
import type { ClusterSite } from './cluster-site.js';
import { mapPage } from './map-page.js';
import { monitorListPage, monitorPage } from './monitor-page.js';
import { MONITOR_SCRIPT } from './monitor-script.js';
import { monitorPolicy, PAGE_POLICY } from './page-policy.js';
import type { PublicMap } from './public-map.js';

const tags = ['site'];
const html = { 'text/html': { schema: { type: 'string' as const } } };

/** Unknown keys are accepted, since these addresses are shared between people. A key that is sent twice is ignored. */
const MonitorQuery = Type.Object({
  slug: Type.Optional(Type.String({ maxLength: 80 })),
  id: Type.Optional(Type.String({ maxLength: 64 })),
  vis: Type.Optional(Type.String({ maxLength: 16, description: '`public`: only those are watched without a token.' })),
});

function sendPage<Reply extends AnyReply>(reply: Reply, text: string, policy = PAGE_POLICY, status = 200): Reply {
  void reply.code(status).headers({ 'content-security-policy': policy }).type('text/html; charset=utf-8').send(text);
  return reply;
}

interface ClusterSiteRoutesParts {
  site: ClusterSite;
  map: PublicMap;
  port: () => number;
}

/**
 * The routes of the public cluster pages: the page of each cluster, its live Wall, and the map. Spec: Cluster
 * identifiers; What the service does, 2.
 */
export async function clusterSiteRoutes(app: App, parts: ClusterSiteRoutesParts): Promise<void> {
  addClusterPageRoute(app, parts);
  addMonitorRoutes(app, parts);
  addMapRoutes(app, parts);
}

function addClusterPageRoute(app: App, { site }: ClusterSiteRoutesParts): void {
  app.get<{ Params: { slug: string } }>(
    '/clusters/:slug',
    {
      config: { access: 'page' },
      schema: {
        summary: 'A public cluster: its page for a browser, its record for anyone else',
        tags,
        response: { 200: { content: { 'application/json': { schema: Type.Ref('Cluster') }, ...html } } },
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      void reply.header('vary', 'Accept');
      if (!wantsPage(request.headers.accept))
        return reply.type('application/json; charset=utf-8').send(site.record(slug));
      const facts = site.facts(slug);
      return facts ? sendPage(reply, clusterPage(facts)) : sendPage(reply, unknownClusterPage(), PAGE_POLICY, 404);
    },
  );
}

function addMonitorRoutes(app: App, { site, port }: ClusterSiteRoutesParts): void {
  app.get<{ Querystring: { slug?: string; id?: string; vis?: string } }>(
    '/monitor',
    {
      config: { access: 'page' },
      schema: {
        summary:
          'The Wall of a public cluster as it is said, for a browser: `?slug=` or `?id=&vis=public`; without them the list',
        tags,
        querystring: MonitorQuery,
        response: { 200: { content: html } },
      },
    },
    async (request, reply) => {
      const { slug, id } = request.query;
      if (slug === undefined && id === undefined)
        return sendPage(reply, monitorListPage(site.listMonitored()), PAGE_POLICY);
      const cluster = site.findMonitored(request.query);
      return cluster
        ? sendPage(reply, monitorPage(cluster), monitorPolicy(port()))
        : sendPage(reply, unknownClusterPage(), PAGE_POLICY, 404);
    },
  );

  app.get('/monitor.js', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(MONITOR_SCRIPT),
  );
}

function addMapRoutes(app: App, { map }: ClusterSiteRoutesParts): void {
  app.get(
    '/map',
    {
      config: { access: 'page' },
      schema: {
        summary: 'The map of public clusters and their located posts, for a browser',
        tags,
        response: { 200: { content: html } },
      },
    },
    async (_request, reply) => sendPage(reply, mapPage(map.data())),
  );

  app.get(
    '/v1/map',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Public clusters and their located posts, for a map',
        tags,
        response: { 200: Type.Ref('MapData') },
      },
    },
    async (): Promise<MapData> => map.data(),
  );
}
