const ASK_AGAIN_MS = 1_000;
/** A daemon that goes away between the look and the import is waited for again; what fails as often throws. */
const ROUNDS = 3;

/** The address of a part: the bundler writes it into the function that imports it, and nothing else knows it. */
const WRITTEN = /import\([`'"]([^`'"]+)/;

const pause = () => new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));

async function isServed(address: string): Promise<boolean> {
  // Of the network: the cache would answer for a daemon that is away, which the part's own imports still need.
  const answer = await fetch(address, { cache: 'reload' });
  // Read to its end, it is whole in the browser's cache, where the import finds it.
  await answer.arrayBuffer();
  return answer.status < 500;
}

/**
 * Every dynamic import of the built dashboard goes through here. A part that a daemon in its restart does not serve is
 * imported once it is served again: it must not take the page with it.
 *
 * Older browsers, Chromium 150 among them, remember that an address failed, and do not ask for it again. There the part
 * is imported under another address, which differs by its fragment: for the daemon and the browser's cache it is the
 * same file, and the part's own imports keep their addresses, so that what is shared stays one. An import of its own
 * that such a browser remembers as failed keeps failing until the page is loaded anew. The build makes sure
 * that no other part imports it statically, by its first address. Loading the page anew would cost what is open in it,
 * and what was typed where no draft is kept.
 */
export async function untilServed<Part>(
  load: () => Promise<Part>,
  importAgain: (address: string) => Promise<Part> = (address) => import(/* @vite-ignore */ address),
): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    const written = WRITTEN.exec(String(load))?.[1];
    // What was served and is wrong stays wrong.
    if (!(error instanceof TypeError) || written === undefined) throw error;
    const { href } = new URL(written, import.meta.url);
    for (let round = 1; ; round++) {
      while (!(await isServed(href).catch(() => false))) await pause();
      try {
        // The other address may be remembered as well: each round has its own.
        return await load().catch(() => importAgain(`${href}#again-${round}`));
      } catch (failure) {
        if (round === ROUNDS) throw failure;
        await pause();
      }
    }
  }
}
