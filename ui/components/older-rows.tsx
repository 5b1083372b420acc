import { Button } from './button.js';

interface OlderRowsProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  shown: number;
}

/** The foot of a list that is read page by page: how many are shown, and a way to the older ones. */
export function OlderRows({ query, shown }: OlderRowsProps) {
  return (
    <div className="cluster" style={{ paddingTop: 12 }}>
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older
        </Button>
      )}
      <span className="quiet small">
        {shown} shown{query.hasNextPage ? ', more below' : ', no more'}
      </span>
    </div>
  );
}
