import { basename, dirname, extname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Preferences } from '../contract/system.js';
import { MeshError } from '../lib/errors.js';
import { answerError } from './error-handler.js';
import { contentSecurityPolicy } from './headers.js';
import type { App } from './route-types.js';

/**
 * The file types that are served, by extension. A file of another type in the folder is not meant for browsers and is
 * not served.
 */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.bin': 'application/octet-stream',
};

/** A file name, optionally in `assets`: no hidden file and no other folder. */
const OWN_FILE = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)+$/;

const PREFIX = '/app';

const pathOf = (url: string) => url.split('?')[0] as string;

/** A path whose last part has an extension is a file; any other path under `/app` is a view of the dashboard. */
const isFile = (url: string) => /\.[a-z0-9]+$/i.test(pathOf(url));

const isAsset = (path: string) => basename(dirname(path)) === 'assets';

const notBuilt = () => new MeshError('not_found', 'The dashboard was not built: run "npm run build" and start again.');
const noSuchFile = () => new MeshError('not_found', 'The dashboard has no such file.');

/** The folder of the built dashboard, and copies of the assets that were served from it. */
interface BuiltFiles {
  /** Absolute path. */
  folder: string;
  readPage(): Promise<string | undefined>;
  /** Whether another build has taken the place of the one that was there at the start. */
  isReplaced(): boolean;
  keepCopy(file: string): Promise<void>;
  findCopy(path: string): Buffer | undefined;
}

interface Dashboard {
  /** Undefined when the dashboard was not built. */
  built: BuiltFiles | undefined;
  port: () => number;
  /** The operator's preferences. The page is rendered with them before its script is loaded. */
  look: () => Pick<Preferences, 'theme' | 'density'>;
  /**
   * The number of the newest event. What the page reads is at least as new, so the page follows events from that number
   * on.
   */
  seq: () => number;
}

/** Serves the built dashboard under `/app`. If it was not built, `/app` responds with `not_found` and says so. */
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
 * Serves hashed assets as immutable and revalidates other files. The allow list of names and types is needed because
 * @fastify/static serves every file in its folder, and its table of types has `application/javascript` for scripts.
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
  // A build replaces the folder, and @fastify/static reads each file from the disk. A page that was opened before the
  // build gets its assets from the copies.
  scope.setNotFoundHandler((request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return answerError(new MeshError('not_found', 'There is no such route.'), request, reply);
    const path = pathOf(request.url).slice(PREFIX.length + 1);
    const copy = built.findCopy(path);
    if (copy === undefined) return answerError(noSuchFile(), request, reply);
    setHeaders(reply, path);
    return reply.code(200).send(copy);
  });
  // Assets are not documents: links from other sites cannot reach them, and requests under another host name are not
  // redirected.
  scope.get<Rest>('/assets/*', { schema: { hide: true } }, (request, reply) =>
    sendOwnFile(reply, `assets/${request.params['*']}`),
  );
}

type Rest = { Params: { '*': string } };

function sendOwnFile(reply: FastifyReply, path: string): FastifyReply {
  if (!OWN_FILE.test(path) || TYPES[extname(path)] === undefined) throw noSuchFile();
  return reply.sendFile(path);
}

/** Sets the headers of a file that was found. */
function setHeaders(reply: FastifyReply, path: string): void {
  void reply
    .type(TYPES[extname(path)] as string)
    .header('cache-control', isAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
}

/**
 * Serves the page for every view, never from a cache; the dashboard renders its own not-found view. The page is not a
 * static file, because it contains the operator's preferences and the number of the newest event.
 */
function servePage(scope: App, built: BuiltFiles, { port, look, seq }: Omit<Dashboard, 'built'>): void {
  const page = async (reply: FastifyReply) => {
    const newest = seq();
    const html = await built.readPage();
    if (html === undefined) throw notBuilt();
    const { theme, density } = look();
    // The page says so: it is of another version than the daemon.
    const replaced = built.isReplaced() ? ' data-replaced' : '';
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy(port()))
      .send(
        html.replace('<html', `<html data-theme="${theme}" data-density="${density}" data-seq="${newest}"${replaced}`),
      );
  };
  const route = { config: { access: 'page' }, schema: { hide: true } } as const;
  scope.get('', route, (_request, reply) => page(reply));
  scope.get<Rest>('/*', route, (request: FastifyRequest<Rest>, reply) => {
    const path = request.params['*'];
    return !isFile(request.url) || path === 'index.html' ? page(reply) : sendOwnFile(reply, path);
  });
}
