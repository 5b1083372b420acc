import type { FastifyReply } from 'fastify';
import type { Preferences } from '../contract/system.js';
import { MeshError } from '../lib/errors.js';
import type { App } from './create-server.js';
import { contentSecurityPolicy } from './headers.js';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
  bin: 'application/octet-stream',
};

/** A path whose last part has an extension is a file; anything else under `/app` is a view of the dashboard. */
const isFile = (url: string) => /\.[a-z0-9]+$/i.test(url.split('?')[0] as string);

const notBuilt = () => new MeshError('not_found', 'The dashboard was not built: run "npm run build" and start again.');

interface Dashboard {
  app: App;
  /** Its files; undefined when it was not built. */
  built: { read(path: string): Promise<Buffer | undefined> } | undefined;
  port: () => number;
  /** What the operator chose: the page is drawn in it before its script has come. */
  look: () => Pick<Preferences, 'theme' | 'density'>;
  /** The number of the newest event: whatever the page reads is at least as new, so that it follows events from there. */
  seq: () => number;
}

/**
 * Serves the built dashboard under `/app`: hashed assets for ever, the page itself never from cache, in the look that was chosen and with the number of the newest event, unknown views with the
 * page (the dashboard knows its own not-found). Where it was not built, `/app` says so.
 */
export async function serveDashboard({ app, built, port, look, seq }: Dashboard): Promise<void> {
  app.get('/', { config: { access: 'page' }, schema: { hide: true } }, (_request, reply) => reply.redirect('/app'));
  if (built === undefined) {
    app.get('/app', { config: { access: 'page' }, schema: { hide: true } }, () => {
      throw notBuilt();
    });
    return;
  }
  const page = async (reply: FastifyReply) => {
    const newest = seq();
    const html = await built.read('index.html');
    if (html === undefined) throw notBuilt();
    const { theme, density } = look();
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(port()))
      .send(
        html.toString().replace('<html', `<html data-theme="${theme}" data-density="${density}" data-seq="${newest}"`),
      );
  };
  app.get('/app', { config: { access: 'page' }, schema: { hide: true } }, (_request, reply) => page(reply));
  const file = async (reply: FastifyReply, path: string, cacheControl: string) => {
    const content = await built.read(path);
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
    if (!content || !type) throw new MeshError('not_found', 'The dashboard has no such file.');
    return reply.type(type).header('cache-control', cacheControl).send(content);
  };
  type Rest = { Params: { '*': string } };
  // No document: a link from elsewhere leads to none of them, and another name is not redirected.
  app.get<Rest>('/app/assets/*', { schema: { hide: true } }, (request, reply) =>
    file(reply, `assets/${request.params['*']}`, 'public, max-age=31536000, immutable'),
  );
  app.get<Rest>('/app/*', { config: { access: 'page' }, schema: { hide: true } }, async (request, reply) => {
    const path = request.params['*'];
    return !isFile(request.url) || path === 'index.html' ? page(reply) : file(reply, path, 'no-cache');
  });
}
