import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { buttonClass } from '../../components/button.js';
import { PageHead } from '../../components/section.js';
import { ApiError } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';

/** A page for something that does not exist: what, the possible reason, and one link. */
export function MissingPage({
  title,
  name,
  to,
  words,
  children,
}: {
  title: string;
  name: string;
  to: LinkProps['to'];
  words: string;
  children: ReactNode;
}) {
  return (
    <>
      <PageHead title={title} lede={<p className="mono">{toDisplayText(name)}</p>} />
      <p>{children}</p>
      <p>
        <Link to={to} className={buttonClass('primary')}>
          {words}
        </Link>
      </p>
    </>
  );
}

MissingPage.fits = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
