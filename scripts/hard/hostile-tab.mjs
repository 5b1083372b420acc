/**
 * A page that an earlier program left open, and what it does once the daemon has its address. Served by drills behind
 * hostile-acts.mjs.
 */
const READ_EVERY_MS = 20;
const READ_FOR_MS = 4_000;

/** Looks into `frame` until the time is over: what is in its page, as soon as there is something. */
async function reachInto(frame, how) {
  const endMs = performance.now() + READ_FOR_MS;
  while (performance.now() < endMs) {
    try {
      const { documentElement } = frame.document;
      if (documentElement?.dataset.seq !== undefined) {
        tell(`read ${how}`);
        await act(documentElement.outerHTML);
        return;
      }
    } catch {
      // Another group of pages has it.
    }
    await new Promise((resolve) => setTimeout(resolve, READ_EVERY_MS));
  }
}

/** A worker whose script the earlier program had cached needs nobody to answer for it. */
const plantWorkers = () =>
  ['/', '/app/', '/app/team'].map((scope) =>
    navigator.serviceWorker.register(OPTIONS.worker, { scope, updateViaCache: 'all' }).catch(() => undefined),
  );

/** Called by the drill. */
globalThis.attack = async () => {
  const again = setInterval(() => void act().catch(() => undefined), 500);
  const framed = document.body.appendChild(document.createElement('iframe'));
  framed.src = '/app';
  const opened = window.open('/app', 'first');
  const later = window.open('/development', 'second');
  new BroadcastChannel('meshd').onmessage = () => tell('heard a broadcast');
  plantWorkers();
  setTimeout(() => {
    if (later) later.location = '/app/team';
    plantWorkers();
  }, 500);
  await Promise.allSettled([
    act(),
    actByPage(),
    reachInto(framed.contentWindow, 'a frame'),
    reachInto(opened, 'a window'),
    reachInto(later, 'a window that was another’s'),
  ]);
  clearInterval(again);
};
