/** Where what is typed in a conversation is kept. */
export const draftPlace = (conv: string) => `talk.${conv}`;

/** Both texts, the older one first; what is typed is never lost. */
export const joinedWords = (typed: string, back: string): string =>
  typed.trim() === '' ? back : `${typed.trimEnd()}\n\n${back}`;

/** What was typed since `said` was sent, and stays once that was taken: whatever does not begin with it was typed anew. */
export const typedSince = (typed: string, said: string): string =>
  typed.startsWith(said) ? typed.slice(said.length).trimStart() : typed;
