import type { App } from './create-server.js';
import { DOCS_CSS, docsPage } from './docs-page.js';
import { contentSecurityPolicy } from './headers.js';

/** `/docs`: the OpenAPI description for people. `port` is read per request, since it is known only once the daemon listens. */
export function docsRoutes(app: App, port: () => number): void {
  app.get('/docs', { config: { access: 'page' }, schema: { hide: true } }, async (_request, reply) => {
    void reply.type('text/html; charset=utf-8').header('content-security-policy', contentSecurityPolicy(port()));
    return docsPage(app.swagger() as Parameters<typeof docsPage>[0]);
  });
  app.get('/docs.css', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(DOCS_CSS),
  );
}
