/** What takes no longer fits into a frame and leaves some of it. */
const FITS_MS = 12;
/** The page is left free no longer than this: what comes up is shown, however slow the machine. */
const REST_MAX_MS = 100;

export interface FrameClock {
  now(): number;
  requestFrame(run: () => void): void;
  /** Runs once the frame that is being made has been drawn and nothing is more urgent. */
  afterFrame(run: () => void): void;
  setTimeout(run: () => void, ms: number): unknown;
}

/** The browser's own frames. */
function browserFrames(): FrameClock {
  const { port1, port2 } = new MessageChannel();
  const due: (() => void)[] = [];
  port1.onmessage = () => {
    for (const run of due.splice(0)) run();
  };
  return {
    now: () => performance.now(),
    requestFrame: (run) => void requestAnimationFrame(run),
    // Posted in a frame, it is read after it.
    afterFrame: (run) => {
      due.push(run);
      port2.postMessage(0);
    },
    setTimeout: (run, ms) => setTimeout(run, ms),
  };
}

/**
 * Runs what draws before a next frame, and where that did not fit into one leaves the page free after it for as long as it went beyond: what comes up without
 * a pause takes two thirds of the page's time at most, and a key or a click waits for one picture and no more.
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
    // What the last one cost may be known only by then.
    else clock.requestFrame(() => (freeAt > clock.now() ? next(run) : draw(run)));
  };
  return next;
}

let ofTab: ((run: () => void) => void) | undefined;

/** The pace of this tab: whatever comes up in it leaves the same page free. */
export function nextPicture(run: () => void): void {
  ofTab ??= pacedFrames(browserFrames());
  ofTab(run);
}
