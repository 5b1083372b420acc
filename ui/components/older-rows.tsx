import { Button } from './button.js';

interface OlderRowsProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  shown: number;
  /** What the rows are: one of them, and several. */
  unit: readonly [one: string, many: string];
  /** What the button says: what follows in this list. */
  more?: string;
}

/** The foot of a list that is read page by page: how many are shown, and a way to what follows. */
export function OlderRows({ query, shown, unit: [one, many], more = 'Show older' }: OlderRowsProps) {
  return (
    <div className="cluster" style={{ paddingTop: 12 }}>
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {more}
        </Button>
      )}
      <span className="quiet small">
        {query.hasNextPage ? `${shown} shown, more below` : `${shown} ${shown === 1 ? one : many}`}
      </span>
    </div>
  );
}
