/** Selects the posts of a list. */
export interface PostFilter {
  /** `seq` of the board. */
  board: number;
  /** Epoch seconds. Posts that have expired by then are excluded. */
  now: number;
  /** Only posts with a `seq` below this one. */
  before: number;
  /** Only posts in this language. A post without a language inherits the board's. */
  lang?: { primary: string; isInherited: boolean } | undefined;
}

/** SQL condition for posts not expired at `@now`, equivalent to `isLive`. */
export const LIVE = '(expires_at IS NULL OR expires_at > @now)';

/** The filter as an SQL condition on posts. */
export function wantedBy({ lang }: PostFilter): string {
  const isInLang = lang ? ' AND (lang = @primary OR (lang IS NULL AND @isInherited = 1))' : '';
  return `board = @board AND seq < @before AND ${LIVE}${isInLang}`;
}

/** The bound values of that condition. */
export function getBindings({
  lang,
  ...filter
}: PostFilter): Omit<PostFilter, 'lang'> & { primary?: string; isInherited?: number } {
  return { ...filter, ...(lang && { primary: lang.primary, isInherited: lang.isInherited ? 1 : 0 }) };
}
