import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Preferences } from '../contract/system.js';
import { MeshError } from '../lib/errors.js';
import type { App } from './create-server.js';
import { contentSecurityPolicy } from './headers.js';
import { COOKIE_MARK, isForLater, isShownDocument, type PageProof } from './page-proof.js';

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
  pages: PageProof;
  /** What the operator chose: the page is drawn in it before its script has come. */
  look: () => Pick<Preferences, 'theme' | 'density'>;
  /** The number of the newest event: whatever the page reads is at least as new, so that it follows events from there. */
  seq: () => number;
}

/** What a page opens the dashboard with, or undefined where one that an earlier program left could read the answer. */
const keyFor = ({ raw }: FastifyRequest, pages: PageProof, port: number) =>
  isShownDocument(raw) && pages.isCleared(raw, port) ? pages.key : undefined;

/**
 * The page as it is built, with what is only known now. Its scripts have an address of this run, which no earlier
 * program can have put into the cache.
 */
function written(html: string, pages: PageProof, attributes: Record<string, string | number | undefined>): string {
  const given = Object.entries({ ...attributes, run: pages.run })
    .flatMap(([name, value]) => (value === undefined ? [] : [` data-${name}="${value}"`]))
    .join('');
  return html
    .replace('<html', `<html${given}`)
    .replaceAll('"./assets/', `"/app/assets/${pages.run}/`)
    .replaceAll('"./', '"/app/');
}

/**
 * Serves the built dashboard under `/app`: hashed assets for ever, the page itself never from cache, in the look that was chosen and with the number of the newest event, unknown views with the
 * page (the dashboard knows its own not-found). Where it was not built, `/app` says so.
 *
 * Only a document that the browser shows itself has the key in it, and only once the browser was cleared in this run of
 * what earlier programs at
 * this address left: a worker would answer for the page's scripts.
 */
export async function serveDashboard({ app, built, port, pages, look, seq }: Dashboard): Promise<void> {
  app.get('/', { config: { access: 'page' }, schema: { hide: true } }, (_request, reply) => reply.redirect('/app'));
  if (built === undefined) {
    app.get('/app', { config: { access: 'page' }, schema: { hide: true } }, () => {
      throw notBuilt();
    });
    return;
  }
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    if (isForLater(request.raw)) throw new MeshError('forbidden_origin', 'The dashboard is not loaded ahead.');
    const newest = seq();
    const html = await built.read('index.html');
    if (html === undefined) throw notBuilt();
    void reply.header('cross-origin-opener-policy', 'noopener-allow-popups');
    const key = keyFor(request, pages, port());
    // What a worker asks for by itself is left to its removal, which reloads the pages that it has served.
    if (key === undefined && request.headers['sec-fetch-mode'] === 'navigate') {
      const isMarked = new URLSearchParams(request.url.split('?')[1]).has(COOKIE_MARK);
      if (!isMarked) void reply.headers(pages.clearing(port()));
      const mark = `${request.url.includes('?') ? '&' : '?'}${COOKIE_MARK}`;
      if (!isMarked && isShownDocument(request.raw)) return reply.redirect(request.url + mark, 303);
    }
    const { theme, density } = look();
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(port()))
      .send(written(html.toString(), pages, { theme, density, seq: newest, key }));
  };
  app.get('/app', { config: { access: 'page' }, schema: { hide: true } }, page);
  // A page that was open over a restart asks here for the number of the new run, and clears the browser for it without
  // losing what is typed.
  app.get('/app/run.json', { config: { access: 'public' }, schema: { hide: true } }, async ({ raw }, reply) => {
    const isOfPage = raw.headers['sec-fetch-site'] === 'same-origin';
    if (isOfPage && !pages.isCleared(raw, port())) void reply.headers(pages.clearing(port()));
    return { run: pages.run };
  });
  const file = async (reply: FastifyReply, path: string, cacheControl: string) => {
    const content = await built.read(path);
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
    if (!content || !type) throw new MeshError('not_found', 'The dashboard has no such file.');
    return reply.type(type).header('cache-control', cacheControl).send(content);
  };
  // No document: a link from elsewhere leads to none of them, and another name is not redirected. A page of an earlier
  // run asks under its number.
  app.get<{ Params: { '*': string } }>(
    '/app/assets/:run/*',
    { config: { access: 'public' }, schema: { hide: true } },
    (request, reply) => file(reply, `assets/${request.params['*']}`, 'public, max-age=31536000, immutable'),
  );
  app.get<{ Params: { '*': string } }>(
    '/app/*',
    { config: { access: 'page' }, schema: { hide: true } },
    async (request, reply) => {
      const path = request.params['*'];
      return !isFile(request.url) || path === 'index.html' ? page(request, reply) : file(reply, path, 'no-cache');
    },
  );
}
