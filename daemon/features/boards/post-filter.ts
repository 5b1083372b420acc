/** Which posts of a board a list wants. */
export interface PostFilter {
  /** The board's row. */
  board: number;
  /** Epoch seconds: posts that have expired by then are left out. */
  now: number;
  /** Only rows before this one. */
  before: number;
  /** Only posts in this language; those without one of their own inherit the board's. */
  lang?: { primary: string; isInherited: boolean } | undefined;
}

/** Has not expired at `@now`: `isLive` as a condition on rows. */
export const LIVE = '(expires_at IS NULL OR expires_at > @now)';

/** The filter as a condition on rows of posts. */
export function wantedBy({ lang }: PostFilter): string {
  const isInLang = lang ? ' AND (lang = @primary OR (lang IS NULL AND @isInherited = 1))' : '';
  return `board = @board AND seq < @before AND ${LIVE}${isInLang}`;
}

/** The values that the condition names. */
export function valuesOf({
  lang,
  ...filter
}: PostFilter): Omit<PostFilter, 'lang'> & { primary?: string; isInherited?: number } {
  return { ...filter, ...(lang && { primary: lang.primary, isInherited: lang.isInherited ? 1 : 0 }) };
}
