import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { describeEnding } from './wall/wall-closed.js';

/** Shown when a cluster is deleted while its page is open. */
export function ClusterGone() {
  const { what, means } = describeEnding({ why: 'deleted', reason: '' });
  return (
    <Notice tone="failed" isAlert>
      <p>
        <strong>{what}.</strong> {means}
      </p>
      <Link to="/rooms" className={buttonClass()}>
        Your clusters
      </Link>
    </Notice>
  );
}
