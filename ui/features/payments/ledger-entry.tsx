import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { LedgerEntry as Entry } from '../../../daemon/contract/payments.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { ExactAgo } from '../../components/exact-ago.js';
import { Flag } from '../../components/flag.js';
import { KeyValue } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { ErrorPanel } from '../../components/states.js';
import { Ago, Clock } from '../../components/time.js';
import { useToast } from '../../components/toasts.js';
import { isoOf } from '../../lib/epoch.js';
import { lamportsWords, solWords } from '../../lib/lamports.js';
import { shownWords } from '../../lib/shown-words.js';
import { lengthWords } from '../../lib/time-words.js';
import { LifeLine, LifeStations } from './life-line.js';
import { NetworkMark } from './network-mark.js';
import { lifeOf } from './payment-life.js';
import { LOCAL_NETWORK, modeWords, reasonWords, stateSentence, whoWords } from './payment-words.js';
import styles from './payments.module.css';
import { useSettle } from './payments-mutations.js';
import { AgentLink } from './tills-panel.js';

interface LedgerEntryProps {
  entry: Entry;
  isOpen: boolean;
  /** The entry arrived while the page was open. */
  isArrival: boolean;
}

const kindWords: Record<Entry['kind'], string> = { call: 'call', topup: 'top-up', transfer: 'transfer' };

function titleWords({ kind, skill }: Entry): string {
  return kind === 'call' && skill !== null ? skill : kindWords[kind];
}

/** A ledger entry: time, flag, purpose, state and amount. When open, all its details. */
export const LedgerEntry = memo(function LedgerEntry({ entry, isOpen, isArrival }: LedgerEntryProps) {
  const { id, side, state, agent, amount_lamports, network, real } = entry;
  const isEarned = side === 'earned';
  const hasMoved = amount_lamports > 0 && (state === 'paid' || state === 'settled' || state === 'owed');
  const trouble = state === 'failed' ? rows.trouble : state === 'waiting' ? rows.needs : '';
  const marked = [styles.entry, trouble, isArrival ? styles.arrived : ''].filter(Boolean).join(' ');
  return (
    <li className={marked} data-state={state}>
      <span className={styles.time}>
        <Clock at={isoOf(entry.created_at)} />
      </span>
      <Flag
        id={agent || (entry.counterparty ?? 'wallet')}
        isRaised={state === 'paid'}
        isExposed={isEarned && agent !== ''}
      />
      <div className={styles.words}>
        <Link
          to="/ledger"
          search={(was) => ({ ...was, entry: isOpen ? undefined : id })}
          replace
          resetScroll={false}
          className={`${rows.main} ${styles.title} truncate`}
          activeOptions={{ exact: true, includeSearch: true }}
          aria-expanded={isOpen}
          data-row=""
        >
          {shownWords(titleWords(entry))}
        </Link>
        <p className={styles.who}>
          {shownWords(whoWords(entry))} · <Ago at={isoOf(entry.created_at)} />
        </p>
      </div>
      <LifeLine stations={lifeOf(entry)} />
      <span className={styles.sum}>
        <span className={hasMoved ? styles.sol : styles.unmoved}>
          {hasMoved && (
            <>
              <span aria-hidden="true">{isEarned ? '+' : '−'}</span>
              <span className="visually-hidden">{isEarned ? 'earned ' : 'spent '}</span>
            </>
          )}
          {solWords(amount_lamports)}
        </span>
        <span className={styles.lamports}>
          {lamportsWords(amount_lamports)}
          {network === LOCAL_NETWORK ? (
            <span className={styles.whole} title="Local network: not real money">
              {' '}
              · not real
            </span>
          ) : (
            ` · ${network}`
          )}
        </span>
      </span>
      {isOpen && (
        <div className={styles.facts}>
          <LifeStations stations={lifeOf(entry)} />
          <p>{stateSentence(entry)}</p>
          {entry.reason !== null && <p>{shownWords(reasonWords(entry.reason))}</p>}
          <p>
            <NetworkMark network={network} isReal={real} />
          </p>
          <Facts entry={entry} />
          {side === 'spent' && state === 'owed' && <SettleButton agent={agent} />}
        </div>
      )}
    </li>
  );
});

function Facts({ entry }: { entry: Entry }) {
  const {
    id,
    kind,
    side,
    mode,
    agent,
    counterparty,
    nonce,
    signature,
    api_key_last4,
    latency_ms,
    created_at,
    updated_at,
  } = entry;
  return (
    <KeyValue
      rows={[
        ['Entry', <Copied key="id" text={id} />],
        agent !== '' &&
          agent !== counterparty && [
            'Agent',
            side === 'spent' ? <AgentLink key="agent" agent={agent} /> : <MemberLink key="agent" id={agent} />,
          ],
        counterparty !== null && [
          side === 'spent' ? 'Paid at' : kind === 'call' ? 'Caller' : 'From',
          <span key="who" className="cluster">
            <Flag id={counterparty} size={16} />
            <Copied text={counterparty} />
          </span>,
        ],
        mode !== null && ['Mode', `${mode}: ${modeWords[mode]}`],
        nonce !== null && ['Nonce', <Copied key="nonce" text={nonce} />],
        signature !== null && ['Transaction', <Copied key="signature" text={signature} />],
        api_key_last4 !== null && [
          'Deposit key',
          <span key="key" className="mono">
            ••••{shownWords(api_key_last4)}
          </span>,
        ],
        latency_ms !== null && ['Answered in', lengthWords(latency_ms)],
        ['Started', <ExactAgo key="created" at={isoOf(created_at)} />],
        ['Last change', <ExactAgo key="updated" at={isoOf(updated_at)} />],
      ]}
    />
  );
}

function MemberLink({ id }: { id: string }) {
  return (
    <Link to="/team/$id" params={{ id }}>
      {shownWords(id)}
    </Link>
  );
}

function Copied({ text }: { text: string }) {
  return (
    <span className={styles.copied}>
      <span className="mono small">{shownWords(text)}</span>
      <CopyButton look="quiet" text={text} />
    </span>
  );
}

/** Pays the debt to the agent of this entry. It was agreed to when the call was made. */
function SettleButton({ agent }: { agent: string }) {
  const settle = useSettle();
  const say = useToast();
  return (
    <>
      {settle.error && <ErrorPanel what="The debt was not paid." error={settle.error} />}
      <p>
        <Button
          isBusy={settle.isPending}
          onClick={() =>
            settle.mutate(agent, {
              onSuccess: ({ paid_lamports, failed: [failure] }) =>
                failure
                  ? say({ tone: 'failed', text: failure.message })
                  : say({ text: `${lamportsWords(paid_lamports)} are paid to ${agent}. Nothing is owed to it.` }),
            })
          }
        >
          Pay what is owed to it
        </Button>
      </p>
    </>
  );
}
