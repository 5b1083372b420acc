/** A draw of at most this many milliseconds fits into a frame and leaves part of it free. */
const FITS_MS = 12;
/** The longest pause after a draw, in milliseconds, so that content is shown even on a slow machine. */
const REST_MAX_MS = 100;

interface FrameClock {
  now(): number;
  requestFrame(run: () => void): void;
  /** Runs after the current frame has been painted and more urgent tasks are done. */
  afterFrame(run: () => void): void;
  setTimeout(run: () => void, ms: number): unknown;
}

function browserFrames(): FrameClock {
  const { port1, port2 } = new MessageChannel();
  const due: (() => void)[] = [];
  port1.onmessage = () => {
    for (const run of due.splice(0)) run();
  };
  return {
    now: () => performance.now(),
    requestFrame: (run) => void requestAnimationFrame(run),
    // A message posted during a frame is delivered after it.
    afterFrame: (run) => {
      due.push(run);
      port2.postMessage(0);
    },
    setTimeout: (run, ms) => setTimeout(run, ms),
  };
}

/**
 * Returns a function that runs a draw before the next frame. After a draw that did not fit into a frame, the page stays
 * idle for as long as the draw exceeded it. Continuous drawing thus takes at most two thirds of the page's time, and a
 * key or click waits for at most one draw.
 */
export function pacedFrames(clock: FrameClock): (run: () => void) => void {
  let freeAt = 0;
  const draw = (run: () => void) => {
    const began = clock.now();
    run();
    clock.afterFrame(() => {
      const ended = clock.now();
      freeAt = ended + Math.min(Math.max(0, ended - began - FITS_MS), REST_MAX_MS);
    });
  };
  const next = (run: () => void): void => {
    const rest = freeAt - clock.now();
    if (rest > 0) clock.setTimeout(() => next(run), rest);
    // The cost of the previous draw may be known only when the frame starts.
    else clock.requestFrame(() => (freeAt > clock.now() ? next(run) : draw(run)));
  };
  return next;
}

let ofTab: ((run: () => void) => void) | undefined;

/** Runs a draw at the pace of this tab. All draws of the tab share one pace. */
export function nextPicture(run: () => void): void {
  ofTab ??= pacedFrames(browserFrames());
  ofTab(run);
}
