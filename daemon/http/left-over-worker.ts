import type { IncomingMessage } from 'node:http';
import type { AnyReply } from './route-types.js';
import { asksUpgrade } from './upgrades.js';

/**
 * The script that removes a service worker. The daemon registers none, so a worker of its origin was left by an earlier
 * program at this port. Such a worker answers in place of the daemon until the browser checks its script for changes.
 * The check bypasses the worker, and this script replaces it. When activated, it unregisters and reloads its pages. A
 * busy worker can delay activation by minutes, so the script unregisters after four seconds in any case; the next page
 * load then reaches the daemon.
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

/** Whether the browser fetches a service worker's script, at its registration or to check it for changes. */
export const isWorkerScript = (request: IncomingMessage) =>
  request.method === 'GET' && !asksUpgrade(request) && request.headers['service-worker'] === 'script';

/**
 * Whether a page or service worker that an earlier program left at this address sent the request, as far as that can be
 * detected: the daemon's own pages never send a Referer. A worker that was written against this daemon sends none
 * either; against it only the removal script helps. `Clear-Site-Data: "storage"` would end the worker at once, but
 * leave its page open, which the removal script reloads.
 */
export const isLeftOver = (request: IncomingMessage) =>
  request.headers['sec-fetch-site'] === 'same-origin' &&
  request.headers.referer !== undefined &&
  !isWorkerScript(request);

export const LEFT_OVER = {
  code: 'forbidden_origin',
  message: 'A page or service worker of an earlier program at this address sent this: reload the page.',
} as const;

/** Sends the script that removes the worker. The scope of the worker may be wider than its path. */
export function answerRemovalScript(reply: AnyReply): void {
  void reply
    .code(200)
    .header('service-worker-allowed', '/')
    .header('content-security-policy', "default-src 'none'")
    .type('text/javascript; charset=utf-8')
    .serializer((payload: unknown) => String(payload))
    .send(REMOVAL_SCRIPT);
}
