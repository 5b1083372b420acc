/** Attacks of a foreign page on the daemon at `target`, as `window.attack`. Served by drills; runs in a browser. */
const LIMIT_MS = 1_000;

/** A request that the browser never answers, or that is rejected, did not get through. */
const within = (work) =>
  Promise.race([work.catch(() => false), new Promise((resolve) => setTimeout(resolve, LIMIT_MS, false))]);

const isOk = async (url, init) => (await fetch(url, init)).ok;
const hasToken = async (url) => (await (await fetch(url)).text()).includes('mk_');
const opens = (url) =>
  new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'));
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  });

/** Returns whether the dashboard is readable once the frame has loaded. */
const loads = (frame, begin) =>
  new Promise((resolve) => {
    frame.onload = () => {
      try {
        resolve(frame.contentDocument.documentElement.dataset.seq !== undefined);
      } catch {
        resolve(false); // Cross-origin.
      }
    };
    begin();
  });

/** Returns the attacks that got through. */
globalThis.attack = async (target) => {
  const frame = Object.assign(document.createElement('iframe'), { name: 'frame' });
  const form = Object.assign(document.createElement('form'), {
    method: 'POST',
    enctype: 'text/plain',
    target: 'frame',
  });
  form.action = `${target}/team`;
  form.append(Object.assign(document.createElement('input'), { name: '{"name":"Posted","x":"', value: '"}' }));
  document.body.append(frame, form);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Planted"}' };
  const through = [];
  for (const [what, begin] of [
    ['read the token of a member', () => hasToken(`${target}/team/consultant`)],
    ['created a member', () => isOk(`${target}/team`, json)],
    ['created a member unseen', () => isOk(`${target}/team`, { ...json, mode: 'no-cors' })],
    ['followed the events', () => opens(`${target}/events`)],
    ['read a frame', () => loads(frame, () => Object.assign(frame, { src: `${target}/app` }))],
    ['read what a form got', () => loads(frame, () => form.submit())],
  ])
    if (await within(begin())) through.push(what);
  frame.remove();
  form.remove();
  return through;
};
