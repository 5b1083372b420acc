const ASK_AGAIN_MS = 1_000;
/**
 * Rounds of retry for a daemon that becomes unavailable between the check and the import. After the last failure the
 * error is thrown.
 */
const ROUNDS = 3;

/** Matches the address of a module in the import function that the bundler writes. Nothing else holds the address. */
const WRITTEN = /import\([`'"]([^`'"]+)/;

const pause = () => new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));

async function isServed(address: string): Promise<boolean> {
  // Bypasses the cache: it would respond for an unavailable daemon, which the module's own imports still need.
  const answer = await fetch(address, { cache: 'reload' });
  // Reading the whole body puts the file into the browser's cache, where the import finds it.
  await answer.arrayBuffer();
  return answer.status < 500;
}

/**
 * Loads a module with `load`, and retries once the daemon serves it again. Every dynamic import of the built dashboard
 * is wrapped in this function, so that a daemon that is restarting does not break the page.
 *
 * Older browsers, Chromium 150 among them, remember that an address failed and do not request it again. For them the
 * module is imported under an address that differs by its fragment. For the daemon and the browser's cache it is the
 * same file, and the module's own imports keep their addresses, so shared modules are not duplicated. If such a browser
 * remembers one of those imports as failed, it keeps failing until the page is reloaded. The build makes sure that no
 * other module imports this one statically by its first address. Reloading the page instead would lose its open state
 * and all input without a draft.
 */
export async function untilServed<Part>(
  load: () => Promise<Part>,
  importAgain: (address: string) => Promise<Part> = (address) => import(/* @vite-ignore */ address),
): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    const written = WRITTEN.exec(String(load))?.[1];
    // A module that was served and is invalid stays invalid.
    if (!(error instanceof TypeError) || written === undefined) throw error;
    const { href } = new URL(written, import.meta.url);
    for (let round = 1; ; round++) {
      while (!(await isServed(href).catch(() => false))) await pause();
      try {
        // The browser may remember this address as failed too, so each round uses another one.
        return await load().catch(() => importAgain(`${href}#again-${round}`));
      } catch (failure) {
        if (round === ROUNDS) throw failure;
        await pause();
      }
    }
  }
}
