import { Button } from './button.js';

interface OlderRowsProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  shown: number;
  /** What the button says: what follows in this list. */
  more?: string;
}

/** The foot of a list that is read page by page: how many are shown, and a way to what follows. */
export function OlderRows({ query, shown, more = 'Show older' }: OlderRowsProps) {
  return (
    <div className="cluster" style={{ paddingTop: 12 }}>
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {more}
        </Button>
      )}
      <span className="quiet small">
        {shown} shown{query.hasNextPage ? ', more below' : ', no more'}
      </span>
    </div>
  );
}
