import { DOCS_CSS, docsPage } from './docs-page.js';
import { contentSecurityPolicy } from './headers.js';
import type { App } from './route-types.js';

/**
 * Serves `/docs`, the OpenAPI description for human readers. `port` is read per request, since it is known only when
 * the daemon listens.
 */
export async function docsRoutes(app: App, { port }: { port: () => number }): Promise<void> {
  let written: Buffer | undefined;
  app.get('/docs', { config: { access: 'page' }, schema: { hide: true } }, async (_request, reply) => {
    written ??= Buffer.from(docsPage(app.swagger() as Parameters<typeof docsPage>[0]));
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(port()))
      .send(written);
  });
  app.get('/docs.css', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(DOCS_CSS),
  );
}
