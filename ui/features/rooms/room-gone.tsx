import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { endingWords } from './room-closed.js';

/** Shown when a cluster is deleted while its page is open. */
export function RoomGone() {
  const { what, means } = endingWords({ why: 'deleted', reason: '' });
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
