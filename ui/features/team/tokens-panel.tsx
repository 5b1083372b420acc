import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Member } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, Notice } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { Flag } from '../../components/text/flag.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useRotateTokens } from './team-mutations.js';
import { teamQuery } from './team-queries.js';
import styles from './tokens-panel.module.css';

const hasToken = (member: Member) => member.token_last4 !== undefined;

/** The members that have a token, without the token itself. */
export function TokensPanel() {
  const team = useQuery(teamQuery());
  const [isAsking, setIsAsking] = useState(false);
  const open = team.data?.members.filter(hasToken) ?? [];
  return (
    <Section
      title="Member tokens"
      count={team.data && open.length}
      actions={
        open.length > 0 && (
          <Button isSmall onClick={() => setIsAsking(true)}>
            Rotate all
          </Button>
        )
      }
    >
      {isAsking && <RotateAll members={open} onClose={() => setIsAsking(false)} />}
      <Loaded query={team} what="The team could not be loaded.">
        {() => {
          if (open.length === 0)
            return (
              <EmptyState command="meshd team expose consultant">
                No member is exposed, so there are no tokens.
              </EmptyState>
            );
          return (
            <ul className={rows.rows}>
              {open.map((member) => (
                <li key={member.id} className={styles.token}>
                  <Flag id={member.id} isRaised={member.instances > 0} isExposed />
                  <Link to="/team/$id" params={{ id: member.id }} search={{ tab: 'access' }} className={rows.main}>
                    {toDisplayText(member.name)}
                  </Link>
                  <span className="mono quiet">••••{member.token_last4}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}

function RotateAll({ members, onClose }: { members: readonly Member[]; onClose: () => void }) {
  const say = useToast();
  const rotate = useRotateTokens();
  const failed = rotate.data?.failed ?? [];
  const submit = () =>
    rotate.mutate(failed.length > 0 ? failed.map(({ id }) => id) : members.map(({ id }) => id), {
      onSuccess: ({ done: rotated, failed: left }) => {
        if (left.length > 0) return;
        onClose();
        say({
          text:
            `${rotated.length === 1 ? '1 member has' : `${rotated.length} members have`} a new token. The old ` +
            'ones no longer work.',
        });
      },
    });
  return (
    <Dialog title="Rotate all tokens" onClose={onClose}>
      <p>
        {members.length === 1 ? 'The old token stops' : `The ${members.length} old tokens stop`} working now:{' '}
        {toDisplayText(members.map(({ name }) => name).join(', '))}. Every program that uses one needs the new token.
      </p>
      {failed.length > 0 && (
        <Notice tone="failed" isAlert>
          <p>
            <strong>Not rotated: {failed.map(({ id }) => id).join(', ')}.</strong> {toDisplayText(failed[0]?.why ?? '')}{' '}
            The others have new tokens.
          </p>
        </Notice>
      )}
      <DialogActions>
        <Button onClick={onClose}>{failed.length > 0 ? 'Close' : 'Keep the old ones'}</Button>
        <Button look="primary" isBusy={rotate.isPending} onClick={submit}>
          {failed.length > 0 ? 'Retry' : 'Rotate all'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
