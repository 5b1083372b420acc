import { Type } from 'typebox';
import { AiCatalog, Tier2Result } from '../../contract/network/site.js';
import { addCardPreflight, CARD_HEADERS, hasAlready } from '../../http/headers.js';
import type { AnyReply, AnyRequest, App } from '../../http/route-types.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { wantsPage } from './accept.js';
import { agentPage, unknownAgentPage } from './agent-page.js';
import { PAGE_POLICY } from './page-policy.js';
import type { Site } from './site.js';
import { SITE_CSS } from './site-css.js';

const tags = ['site'];

function sendPage<Reply extends AnyReply>(reply: Reply, text: string, status = 200): Reply {
  void reply
    .code(status)
    .headers({ 'content-security-policy': PAGE_POLICY })
    .type('text/html; charset=utf-8')
    .send(text);
  return reply;
}

/** Sends a public card as cacheable JSON, or 304 when the client's copy is current. */
function sendCard<Reply extends AnyReply>(request: AnyRequest, reply: Reply, card: unknown): Reply {
  const text = JSON.stringify(card);
  const etag = `"${sha256Hex(text).slice(0, 32)}"`;
  void reply.header('etag', etag);
  if (hasAlready(request.headers['if-none-match'], etag)) void reply.code(304).send();
  else
    void reply
      .type('application/json; charset=utf-8')
      .serializer((payload: unknown) => String(payload))
      .send(text);
  return reply;
}

/**
 * The routes of the public site: agent pages, agent cards under a permanent address, and the catalog of this daemon's
 * own agents.
 */
export async function siteRoutes(app: App, { site }: { site: Site }): Promise<void> {
  addAgentPageRoute(app, site);
  addAgentCardRoutes(app, site);
  addCatalogRoute(app, site);
  app.get('/site.css', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(SITE_CSS),
  );
}

function addAgentPageRoute(app: App, site: Site): void {
  app.get<{ Params: { id: string } }>(
    '/agent/:id',
    {
      config: { access: 'page' },
      schema: {
        summary: 'An agent: its page for a browser, its summary card for anyone else',
        tags,
        response: {
          200: {
            content: {
              'application/json': { schema: Type.Ref('Tier1Card') },
              'text/html': { schema: { type: 'string' } },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      void reply.header('vary', 'Accept');
      if (!wantsPage(request.headers.accept)) return reply.type('application/json; charset=utf-8').send(site.tier1(id));
      const facts = site.facts(id);
      return facts ? sendPage(reply, agentPage(facts)) : sendPage(reply, unknownAgentPage(id), 404);
    },
  );
}

function addAgentCardRoutes(app: App, site: Site): void {
  const card = '/agent/:id/.well-known/agent.json';
  addCardPreflight(app, card);
  app.get<{ Params: { id: string } }>(
    card,
    {
      config: { access: 'card' },
      schema: {
        summary: 'Full card of an agent: that of a member of this daemon, or a redirect to the agent’s own endpoint',
        tags,
        response: { 200: Type.Ref('PublicCard'), 307: Type.Null() },
      },
    },
    async (request, reply) => {
      const found = site.tier2(request.params.id);
      void reply.headers(CARD_HEADERS);
      if ('location' in found) return reply.redirect(found.location, 307);
      return sendCard(request, reply, found.card);
    },
  );

  app.get<{ Params: { id: string } }>(
    '/agent/:id/tier2',
    {
      schema: {
        summary: 'Read an agent’s full card at its endpoint, under the outbound policy',
        tags,
        response: { 200: Tier2Result },
      },
    },
    async (request) => site.readTier2(request.params.id),
  );
}

function addCatalogRoute(app: App, site: Site): void {
  app.get(
    '/.well-known/ai-catalog.json',
    {
      config: { access: 'public' },
      schema: {
        summary: 'The agents of this daemon, one entry per exposed member',
        tags,
        response: { 200: AiCatalog },
      },
    },
    async (_request, reply) => reply.type('application/ai-catalog+json; charset=utf-8').send(site.catalog()),
  );
}
