/**
 * A service worker that an earlier program left. It serves a dashboard of its own and calls the API. Drills serve it
 * with its options prepended as `OPTIONS`. Runs in a browser.
 */
addEventListener('install', (event) => event.waitUntil(skipWaiting()));
addEventListener('activate', (event) => event.waitUntil(Promise.all([clients.claim(), caches.open('hostile')])));

/** Attacks the API and returns what succeeded. */
async function act() {
  const { referrerPolicy } = OPTIONS;
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Planted"}' };
  const token = await fetch('/team/consultant', { referrerPolicy });
  const done = (await token.text()).includes('mk_') ? ['read a token'] : [];
  if ((await fetch('/team', { ...json, referrerPolicy })).ok) done.push('created a member');
  return done;
}

/** Responds with the real page, or with a page of its own. */
async function answer(event) {
  if (OPTIONS.passesOn) return fetch(event.request);
  const done = await act().catch(() => []);
  const html = `<!doctype html><html data-fake="${done.join(', ') || 'nothing'}"><title>fake</title>`;
  return new Response(html, {
    headers: { 'content-type': 'text/html', 'referrer-policy': OPTIONS.referrerPolicy ?? '' },
  });
}

addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  if (OPTIONS.staysBusy) event.waitUntil(new Promise(() => undefined));
  event.respondWith(answer(event));
});
