import { Link } from '@tanstack/react-router';
import type { WallStatus } from '../../../client/wall-line.js';
import { Button, buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { clockWords } from '../../lib/clock-words.js';
import { shownWords } from '../../lib/shown-words.js';
import { cutWords, endingWords } from './room-closed.js';

interface WallStandingProps {
  status: WallStatus;
  room: string;
  onAgain: () => void;
  onNow: () => void;
}

/** The state of the connection when it is not open, in words, with the possible actions. */
export function WallStanding({ status, room, onAgain, onNow }: WallStandingProps) {
  switch (status.state) {
    case 'in':
      return null;
    case 'joining':
      return (
        <p className="quiet" role="status">
          Joining…
        </p>
      );
    case 'cut':
      return (
        <Notice tone="info" isAlert>
          <p>
            <strong>Disconnected since {clockWords(status.since)}.</strong> {cutWords(status.code)} Reconnecting
            automatically. Messages from this time are not saved.
          </p>
          <Button isSmall onClick={onNow}>
            Try now
          </Button>
        </Notice>
      );
    case 'over': {
      const { what, means } = endingWords(status.ending);
      const { why } = status.ending;
      return (
        <Notice tone="failed" isAlert>
          <p>
            <strong>
              {what}, {clockWords(status.at)}.
            </strong>{' '}
            {shownWords(means)}
          </p>
          <p className="cluster">
            {why === 'too_much' && (
              <Button isSmall onClick={onAgain}>
                Join again
              </Button>
            )}
            {(why === 'revoked' || why === 'refused') && (
              <Link
                to="/rooms/$id"
                params={{ id: room }}
                search={{ tab: 'share' }}
                className={buttonClass('secondary', true)}
              >
                Paste another token
              </Link>
            )}
            {why !== 'too_much' && (
              <Link to="/rooms" className={buttonClass('secondary', true)}>
                Your clusters
              </Link>
            )}
          </p>
        </Notice>
      );
    }
  }
}
