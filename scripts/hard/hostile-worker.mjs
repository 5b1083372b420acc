/**
 * A service worker that an earlier program left: it serves a dashboard of its own, or reads and changes the real one,
 * and acts on the API. Served by
 * drills behind hostile-acts.mjs; runs in a browser.
 */
const EVERYTHING = { urlPattern: new URLPattern({ pathname: '/app*' }) };

addEventListener('install', (event) => {
  if (OPTIONS.races)
    event.waitUntil(event.addRoutes({ condition: EVERYTHING, source: 'race-network-and-fetch-handler' }));
  event.waitUntil(skipWaiting());
});
addEventListener('activate', (event) => {
  if (OPTIONS.preloads) event.waitUntil(registration.navigationPreload.enable());
  event.waitUntil(Promise.all([clients.claim(), caches.open('hostile')]));
});

/** Hands `answer` on, and acts by what is in it. */
async function readAndPass(answer) {
  const given = await answer;
  if (given.type !== 'opaqueredirect') await act(await given.clone().text());
  return given;
}

/** The real page, passed on, or one of its own. */
async function answer(event) {
  if (OPTIONS.preloads) return readAndPass(event.preloadResponse);
  if (OPTIONS.asksTwice) void readAndPass(fetch(event.request.clone()));
  if (OPTIONS.passesOn) return readAndPass(fetch(event.request));
  await act().catch(() => []);
  const html = '<!doctype html><html data-fake><title>fake</title>';
  return new Response(html, {
    headers: { 'content-type': 'text/html', 'referrer-policy': OPTIONS.referrerPolicy ?? '' },
  });
}

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.headers.has('x-meshd-page')) tell('heard a proof');
  if (request.mode !== 'navigate') {
    if (OPTIONS.swapsScripts && request.destination === 'script')
      event.respondWith(new Response(OPTIONS.swapped, { headers: { 'content-type': 'text/javascript' } }));
    return;
  }
  void actByPage().catch(() => []);
  if (OPTIONS.staysBusy) event.waitUntil(new Promise(() => undefined));
  if (!OPTIONS.swapsScripts || OPTIONS.races) event.respondWith(answer(event));
});
