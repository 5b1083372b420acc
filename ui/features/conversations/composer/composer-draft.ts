/** Returns the draft key of a conversation's composer. */
export const draftPlace = (conv: string) => `talk.${conv}`;

/** Returns the draft key of the documents attached there. */
export const docsPlace = (conv: string) => `talk.${conv}.docs`;

/** Joins the draft with restored text below it; the draft is never lost. */
export const joinDrafts = (typed: string, back: string): string =>
  typed.trim() === '' ? back : `${typed.trimEnd()}\n\n${back}`;

/**
 * Returns what was typed since `said` was sent, which stays in the composer. Text that does not begin with `said` was
 * typed anew.
 */
export const typedSince = (typed: string, sent: string): string =>
  typed.startsWith(sent) ? typed.slice(sent.length).trimStart() : typed;
