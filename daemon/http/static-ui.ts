import { basename, dirname, extname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Preferences } from '../contract/system.js';
import { MeshError } from '../lib/errors.js';
import { answerError } from './error-handler.js';
import { contentSecurityPolicy } from './headers.js';
import type { App } from './route-types.js';

/** What is served, by extension. Nothing else is: a file of another kind in the folder was not meant for browsers. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.bin': 'application/octet-stream',
};

/** One name, or one in `assets`: no hidden file and no other folder. */
const OWN_FILE = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)+$/;

const PREFIX = '/app';

/** A path whose last part has an extension is a file; anything else under `/app` is a view of the dashboard. */
const isFile = (url: string) => /\.[a-z0-9]+$/i.test(url.split('?')[0] as string);

const isAsset = (path: string) => basename(dirname(path)) === 'assets';

const notBuilt = () => new MeshError('not_found', 'The dashboard was not built: run "npm run build" and start again.');
const noSuchFile = () => new MeshError('not_found', 'The dashboard has no such file.');

/** The folder of the built dashboard, and copies of the assets that were served from it. */
interface BuiltFiles {
  /** Absolute. */
  folder: string;
  readPage(): Promise<string | undefined>;
  keepCopy(file: string): Promise<void>;
  findCopy(path: string): Buffer | undefined;
}

interface Dashboard {
  /** Undefined when it was not built. */
  built: BuiltFiles | undefined;
  port: () => number;
  /** What the operator chose: the page is drawn in it before its script has come. */
  look: () => Pick<Preferences, 'theme' | 'density'>;
  /** The number of the newest event: whatever the page reads is at least as new, so that it follows events from there. */
  seq: () => number;
}

/** Serves the built dashboard under `/app`. Where it was not built, `/app` says so. */
export async function dashboardRoutes(app: App, { built, port, look, seq }: Dashboard): Promise<void> {
  app.get('/', { config: { access: 'page' }, schema: { hide: true } }, (_request, reply) => reply.redirect(PREFIX));
  if (built === undefined) {
    app.get(PREFIX, { config: { access: 'page' }, schema: { hide: true } }, () => {
      throw notBuilt();
    });
    return;
  }
  await app.register(
    async (scope) => {
      await serveFiles(scope, built);
      servePage(scope, built, { port, look, seq });
    },
    { prefix: PREFIX },
  );
}

/**
 * Hashed assets for ever, other files revalidated. The allow list of names and types is ours: @fastify/static serves
 * whatever is in its folder, and its table of types has `application/javascript` for scripts.
 */
async function serveFiles(scope: App, built: BuiltFiles): Promise<void> {
  await scope.register(fastifyStatic, {
    root: built.folder,
    serve: false,
    index: false,
    dotfiles: 'deny',
    acceptRanges: false,
    cacheControl: false,
    contentType: false,
    onFile: (file) => (isAsset(file) ? built.keepCopy(file) : undefined),
    setHeaders,
  });
  // A build replaces the folder. @fastify/static reads each file from the disk, so that a page which was opened before
  // the build gets its assets from the copies.
  scope.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answerError(new MeshError('not_found', 'There is no such route.'), request, reply);
    const path = request.url.split('?')[0]?.slice(PREFIX.length + 1) ?? '';
    const copy = built.findCopy(path);
    if (copy === undefined) return answerError(noSuchFile(), request, reply);
    setHeaders(reply, path);
    return reply.code(200).send(copy);
  });
  // No document: a link from elsewhere leads to none of them, and another name is not redirected.
  scope.get<Rest>('/assets/*', { schema: { hide: true } }, (request, reply) =>
    sendOwnFile(reply, `assets/${request.params['*']}`),
  );
}

type Rest = { Params: { '*': string } };

function sendOwnFile(reply: FastifyReply, path: string): FastifyReply {
  if (!OWN_FILE.test(path) || TYPES[extname(path)] === undefined) throw noSuchFile();
  return reply.sendFile(path);
}

/** Of a file that was found. */
function setHeaders(reply: FastifyReply, path: string): void {
  void reply
    .type(TYPES[extname(path)] as string)
    .header('cache-control', isAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
}

/**
 * The page, never from cache, for every view: the dashboard knows its own not-found. It is no static file, because it is
 * sent in the look that was chosen and with the number of the newest event.
 */
function servePage(scope: App, built: BuiltFiles, { port, look, seq }: Omit<Dashboard, 'built'>): void {
  const page = async (reply: FastifyReply) => {
    const newest = seq();
    const html = await built.readPage();
    if (html === undefined) throw notBuilt();
    const { theme, density } = look();
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(port()))
      .send(html.replace('<html', `<html data-theme="${theme}" data-density="${density}" data-seq="${newest}"`));
  };
  const route = { config: { access: 'page' }, schema: { hide: true } } as const;
  scope.get('', route, (_request, reply) => page(reply));
  scope.get<Rest>('/*', route, (request: FastifyRequest<Rest>, reply) => {
    const path = request.params['*'];
    return !isFile(request.url) || path === 'index.html' ? page(reply) : sendOwnFile(reply, path);
  });
}
