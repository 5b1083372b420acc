const AGAIN_MS = 1_000;

/** Loads a part of the dashboard. One that a daemon in its restart does not serve is asked for again: it must not take the page with it. */
export const untilServed =
  <Part>(load: () => Promise<Part>) =>
  (): Promise<Part> =>
    load().catch(async (error: unknown) => {
      // What was served and is wrong stays wrong.
      if (!(error instanceof TypeError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      return untilServed(load)();
    });
