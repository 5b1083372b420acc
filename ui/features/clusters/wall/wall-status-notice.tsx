import { Link } from '@tanstack/react-router';
import type { WallStatus } from '../../../../daemon/client/wall-line.js';
import { Button, buttonClass } from '../../../components/button.js';
import { Notice } from '../../../components/notes.js';
import { formatClockTime } from '../../../lib/format/clock-format.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { describeEnding, formatDisconnect } from './wall-closed.js';

interface WallStatusNoticeProps {
  status: WallStatus;
  room: string;
  onAgain: () => void;
  onNow: () => void;
}

/** The state of the connection when it is not open, in words, with the possible actions. */
export function WallStatusNotice({ status, room: clusterName, onAgain, onNow }: WallStatusNoticeProps) {
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
            <strong>Disconnected since {formatClockTime(status.since)}.</strong> {formatDisconnect(status.code)}{' '}
            Reconnecting automatically. Messages from this time are not saved.
          </p>
          <Button isSmall onClick={onNow}>
            Try now
          </Button>
        </Notice>
      );
    case 'over': {
      const { what, means } = describeEnding(status.ending);
      const { why } = status.ending;
      return (
        <Notice tone="failed" isAlert>
          <p>
            <strong>
              {what}, {formatClockTime(status.at)}.
            </strong>{' '}
            {toDisplayText(means)}
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
                params={{ id: clusterName }}
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
