import type { IncomingMessage } from 'node:http';
import type { AnyReply } from './route-types.js';

/**
 * The daemon registers no service worker, so one of its origin was left by an earlier program at this port. It answers for the daemon until
 * the browser checks its script for changes: the check bypasses the worker, and this script takes its place. Once active it unregisters and
 * reloads its pages. A busy worker can delay that by minutes, so it unregisters without it after a while: the next page is the daemon's.
 */
export const REMOVAL_SCRIPT = `const clear = async () => {
  await registration.unregister();
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
};
addEventListener('install', () => {
  skipWaiting();
  setTimeout(clear, 4000);
});
addEventListener('activate', (event) => event.waitUntil(clear().then(async () => {
  for (const page of await clients.matchAll({ type: 'window' })) page.navigate(page.url).catch(() => undefined);
})));
`;

/** Whether the browser fetches a service worker's script, at its registration or to look for a change. */
export const isWorkerScript = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.upgrade === undefined && headers['service-worker'] === 'script';

/**
 * Whether a page or service worker that an earlier program left at this address made the request, as far as it can be told: the daemon lets no
 * page of its own send a Referer. One that was written against this daemon sends none either; then its removal is what holds.
 * `Clear-Site-Data: "storage"` would end the worker at once, but leave its page open, which the removal reloads.
 */
export const isLeftOver = (request: IncomingMessage) =>
  request.headers['sec-fetch-site'] === 'same-origin' &&
  request.headers.referer !== undefined &&
  !isWorkerScript(request);

export const LEFT_OVER = {
  code: 'forbidden_origin',
  message: 'A page or service worker of an earlier program at this address sent this: reload the page.',
} as const;

/** Answers with the script that removes the worker; its scope may be wider than its path. */
export function answerRemovalScript(reply: AnyReply): void {
  void reply
    .code(200)
    .header('service-worker-allowed', '/')
    .header('content-security-policy', "default-src 'none'")
    .type('text/javascript; charset=utf-8')
    .serializer((payload: unknown) => String(payload))
    .send(REMOVAL_SCRIPT);
}
