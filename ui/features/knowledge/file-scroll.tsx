import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { FilePage } from './file-lines.js';
import styles from './file-panel.module.css';
import { type FilePages, PAGE_LINES } from './use-file-pages.js';
import type { FindInFile } from './use-find-in-file.js';

/** How far from the end of what is read the next page is read, in CSS pixels. */
const AHEAD = '600px';

function isInView(line: Element): boolean {
  const { top, bottom } = line.getBoundingClientRect();
  const box = line.closest('section')?.getBoundingClientRect();
  return box !== undefined && top >= box.top && bottom <= box.bottom;
}

interface FileScrollProps {
  file: FilePages;
  path: string;
  from: number;
  to: number;
  isBlamed: boolean;
  find: FindInFile;
  onSymbol: (name: string) => void;
}

/** The lines of a file, as many as were read, and more of them before and after. */
export function FileScroll({ file, path, from, to, isBlamed, find, onSymbol }: FileScrollProps) {
  const scroll = useRef<HTMLElement>(null);
  const cited = useRef<HTMLLIElement>(null);
  const pages = file.data?.pages ?? [];
  const [first, last] = [pages[0], pages.at(-1)];
  useShowOnce(() => cited.current, first && `${path}:${from}`);
  const { current } = find;
  useShowOnce(
    () => scroll.current?.querySelector('mark[data-current]'),
    current && `${path}:${current.line}:${current.start}`,
  );
  useKeepPlace(scroll, first && `${path}:${first.start_line}`);
  const { hasPreviousPage, hasNextPage, isFetchingPreviousPage, isFetchingNextPage } = file;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section ref={scroll} className={styles.scroll} tabIndex={0} aria-label="Lines">
      {first && hasPreviousPage && (
        <MoreLines
          from={Math.max(1, first.start_line - PAGE_LINES)}
          to={first.start_line - 1}
          isBusy={isFetchingPreviousPage}
          onRead={() => void file.fetchPreviousPage()}
        />
      )}
      <Loaded query={file} what="The file could not be read." rows={12}>
        {({ pages }) =>
          pages.map((page) => (
            <FilePage
              key={page.start_line}
              file={page}
              from={from}
              to={to}
              cited={cited}
              onSymbol={onSymbol}
              isBlamed={isBlamed}
              find={find}
            />
          ))
        }
      </Loaded>
      {first && last && (hasPreviousPage || hasNextPage || pages.length > 1) && (
        <p role="status" className={`${styles.message} quiet small`}>
          Lines {first.start_line} to {last.end_line} of {last.total_lines}.
        </p>
      )}
      {last && hasNextPage && (
        <MoreLines
          from={last.end_line + 1}
          to={Math.min(last.total_lines, last.end_line + PAGE_LINES)}
          isBusy={isFetchingNextPage}
          onRead={() => void file.fetchNextPage()}
        />
      )}
    </section>
  );
}

interface MoreLinesProps {
  from: number;
  to: number;
  isBusy: boolean;
  /** Called when the button is pressed or comes near the view. */
  onRead: () => void;
}

function MoreLines({ from, to, isBusy, onRead }: MoreLinesProps) {
  const place = useRef<HTMLParagraphElement>(null);
  const read = useRef(onRead);
  read.current = onRead;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page is waited for anew, also when the last was short.
  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && !isBusy && read.current(), {
      root: place.current?.closest('section') ?? null,
      rootMargin: AHEAD,
    });
    if (place.current) seen.observe(place.current);
    return () => seen.disconnect();
  }, [from, isBusy]);
  useLayoutEffect(() => {
    const button = place.current;
    // After the last page the button goes, and its focus stays in the lines.
    return () => {
      if (button?.contains(document.activeElement)) button.closest('section')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <p ref={place} className={styles.message}>
      <Button isSmall isBusy={isBusy} onClick={onRead}>
        Show lines {from} to {to}
      </Button>
    </p>
  );
}

/**
 * Scrolls to an element once for each place, as soon as it is there. One that is in view already does not move under
 * the pointer.
 */
function useShowOnce(find: () => Element | null | undefined, place: string | undefined): void {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const element = place !== undefined && shown.current !== place && find();
    if (!element) return;
    shown.current = place;
    element.scrollIntoView({ block: isInView(element) ? 'nearest' : 'center' });
  });
}

/** Keeps the lines where they are when earlier ones come before them. `key` names the first line. */
function useKeepPlace(scroll: RefObject<HTMLElement | null>, key: string | undefined): void {
  const before = useRef<{ list: Element; top: number }>(undefined);
  useLayoutEffect(() => {
    const box = scroll.current;
    if (!box || key === undefined) return;
    const { list, top } = before.current ?? {};
    if (list?.isConnected && top !== undefined) box.scrollTop += list.getBoundingClientRect().top - top;
    const keep = () => {
      const first = box.querySelector('ol');
      if (first) before.current = { list: first, top: first.getBoundingClientRect().top };
    };
    keep();
    box.addEventListener('scroll', keep, { passive: true });
    return () => box.removeEventListener('scroll', keep);
  }, [scroll, key]);
}
