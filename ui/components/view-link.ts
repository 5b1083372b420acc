import segments from './segments.module.css';

/** Makes a link set `aria-current` only for the current view: the views share one path and differ in the query. */
const ONE_VIEW = { exact: true, includeSearch: true };

interface ViewLinkProps {
  className: string | undefined;
  activeOptions: typeof ONE_VIEW;
  'aria-current': 'page' | undefined;
}

/** Returns the props of a link to one of several views of a page. */
export const viewLink = (isCurrent: boolean): ViewLinkProps => ({
  className: segments.segment,
  activeOptions: ONE_VIEW,
  'aria-current': isCurrent ? 'page' : undefined,
});
