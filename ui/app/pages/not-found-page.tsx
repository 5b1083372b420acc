import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.js';
import { PageHead } from '../../components/section.js';
import { usePageTitle } from '../page-title.js';

export function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <>
      <PageHead title="There is no such page" lede={<p className="mono">{window.location.pathname}</p>} />
      <p>The address is mistyped, or the page was removed.</p>
      <p className="cluster">
        <Link to="/" className={buttonClass('primary')}>
          Go to Home
        </Link>
        <Link to="/team" className={buttonClass()}>
          Team
        </Link>
        <Link to="/requests" className={buttonClass()}>
          Requests
        </Link>
        <Link to="/rooms" className={buttonClass()}>
          Clusters
        </Link>
        <Link to="/find" className={buttonClass()}>
          Agent search
        </Link>
      </p>
    </>
  );
}
