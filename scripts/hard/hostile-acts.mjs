/**
 * What a page, a script or a service worker that an earlier program left tries with the daemon's API, and tells the
 * drill at `OPTIONS.report`. Put before
 * each of them, with its `OPTIONS` before it; runs in a browser.
 */
const { referrerPolicy, report, name } = OPTIONS;

function tell(what) {
  void fetch(report, { method: 'POST', mode: 'no-cors', body: `${name}: ${what}` });
}

/** The headers of the daemon's own page, of a key that was found in `html`. */
async function proveBy(html) {
  const [, found] = /data-key="([^"]+)"/.exec(html) ?? [];
  const [, run] = /data-run="([^"]+)"/.exec(html) ?? [];
  if (found === undefined) return {};
  tell('read the key');
  const code = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', code.encode(found), algorithm, false, ['sign']);
  const signed = new Uint8Array(await crypto.subtle.sign('HMAC', key, code.encode(run)));
  const proof = Array.from(signed, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { 'x-meshd-page': proof };
}

function openEvents() {
  const socket = new WebSocket(`ws://${location.host}/events`);
  socket.onmessage = () => {
    tell('opened the socket');
    socket.close();
  };
}

/** Everything at once; `html` is a page that it got hold of. Says what it did. */
async function act(html = '') {
  const done = [];
  const headers = await proveBy(html);
  const json = { ...headers, 'content-type': 'application/json' };
  const planted = `Planted ${Math.random().toString(36).slice(2)}`;
  const tries = [
    ['read the team', fetch('/team', { headers, referrerPolicy })],
    [
      'created a member',
      fetch('/team', { method: 'POST', headers: json, body: JSON.stringify({ name: planted }), referrerPolicy }),
    ],
  ];
  openEvents();
  for (const [what, answer] of tries) {
    const isDone = await answer.then(({ ok, headers: its }) => ok && its.get('x-hostile') === null).catch(() => false);
    if (isDone) done.push(what);
  }
  for (const what of done) tell(what);
  return done;
}

/** What is in the page that the daemon gives who asks for it. */
globalThis.actByPage = () =>
  fetch('/app', { referrerPolicy })
    .then((answer) => answer.text())
    .then(act);
