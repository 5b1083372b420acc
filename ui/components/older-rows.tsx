import { Button } from './button.js';

interface OlderRowsProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  shown: number;
  /** The unit of the rows, in singular and plural. */
  unit: readonly [one: string, many: string];
  /** Label of the button that loads the next page. */
  more?: string;
}

/** The foot of a paginated list: how many rows are shown, and a button to load more. */
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
