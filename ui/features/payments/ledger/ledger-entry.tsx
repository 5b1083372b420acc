import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { LedgerEntry as Entry } from '../../../../daemon/contract/payments.js';
import { Button } from '../../../components/button.js';
import { KeyValue } from '../../../components/notes.js';
import rows from '../../../components/rows.module.css';
import { ErrorPanel } from '../../../components/states.js';
import { CopyButton } from '../../../components/text/copy-button.js';
import { ExactAgo } from '../../../components/text/exact-ago.js';
import { Flag } from '../../../components/text/flag.js';
import { Ago, Clock } from '../../../components/text/time.js';
import { useToast } from '../../../components/toasts.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { toIsoTime } from '../../../lib/format/epoch.js';
import { formatLamports, formatSol } from '../../../lib/format/lamports.js';
import { formatDuration } from '../../../lib/format/time-format.js';
import { AgentFlag } from '../../agents/agent-flag.js';
import { formatReport } from '../calls/call-format.js';
import { NetworkMark } from '../network-mark.js';
import { formatCounterparty, formatReason, LOCAL_NETWORK, modeLabels, stateSentence } from '../payment-format.js';
import styles from '../payments.module.css';
import { useSettle } from '../payments-mutations.js';
import { callQuery, callsQuery } from '../payments-queries.js';
import { type CallGroup, formatParties, isWithin } from './call-groups.js';
import { AgentLink } from './earnings-panel.js';
import { listStations } from './payment-life.js';
import { PaymentStepLine, PaymentSteps } from './payment-steps.js';

interface LedgerEntryProps {
  group: CallGroup;
  isOpen: boolean;
  /** The entry arrived while the page was open. */
  isArrival: boolean;
}

const kindLabels: Record<Entry['kind'], string> = { call: 'call', topup: 'top-up', transfer: 'transfer' };

function formatTitle({ kind, skill }: Entry): string {
  return kind === 'call' && skill !== null ? skill : kindLabels[kind];
}

/** A call or another movement of the ledger: time, flag, purpose, state and amount. When open, all its entries. */
export const LedgerEntry = memo(function LedgerEntry({ group, isOpen, isArrival }: LedgerEntryProps) {
  const { entry, others } = group;
  const { id, side, state, agent } = entry;
  const trouble = state === 'failed' ? rows.trouble : state === 'waiting' ? rows.needs : '';
  const marked = [styles.entry, trouble, isArrival ? styles.arrived : ''].filter(Boolean).join(' ');
  return (
    <li className={marked} data-state={state}>
      <span className={styles.time}>
        <Clock at={toIsoTime(entry.created_at)} />
      </span>
      {side === 'spent' && agent !== '' ? (
        <AgentFlag id={agent} isRaised={state === 'paid'} />
      ) : (
        <Flag
          id={agent || (entry.counterparty ?? 'wallet')}
          isRaised={state === 'paid'}
          isExposed={side === 'earned' && agent !== ''}
        />
      )}
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
          {toDisplayText(formatTitle(entry))}
        </Link>
        <p className={styles.who}>
          {toDisplayText(formatParties(group))} · <Ago at={toIsoTime(entry.created_at)} />
        </p>
      </div>
      <PaymentStepLine stations={listStations(entry)} />
      <Sum group={group} />
      {isOpen && (
        <div className={styles.facts}>
          <EntryDetails entry={entry} />
          {others.map((other) => (
            <section key={other.id} className={styles.terms} aria-label={toDisplayText(formatCounterparty(other))}>
              <h3>{toDisplayText(formatCounterparty(other))}</h3>
              <EntryDetails entry={other} />
            </section>
          ))}
        </div>
      )}
    </li>
  );
});

function EntryDetails({ entry }: { entry: Entry }) {
  const { side, state, reason, network, real, agent } = entry;
  return (
    <>
      <PaymentSteps stations={listStations(entry)} />
      <p>{stateSentence(entry)}</p>
      {reason !== null && <p>{toDisplayText(formatReason(reason))}</p>}
      <p>
        <NetworkMark network={network} isReal={real} />
      </p>
      <Facts entry={entry} />
      {side === 'spent' && state === 'owed' && <SettleButton agent={agent} />}
    </>
  );
}

/** The amount and its network, with a sign once it has moved to or from somebody else. */
function Sum({ group }: { group: CallGroup }) {
  const { side, state, amount_lamports, network } = group.entry;
  const isEarned = side === 'earned';
  const hasMoved = amount_lamports > 0 && (state === 'paid' || state === 'settled' || state === 'owed');
  return (
    <span className={styles.sum}>
      <span className={hasMoved ? styles.sol : styles.unmoved}>
        {hasMoved && isWithin(group) ? (
          <span className="visually-hidden">within this daemon </span>
        ) : (
          hasMoved && (
            <>
              <span aria-hidden="true">{isEarned ? '+' : '−'}</span>
              <span className="visually-hidden">{isEarned ? 'earned ' : 'spent '}</span>
            </>
          )
        )}
        {formatSol(amount_lamports)}
      </span>
      <span className={styles.lamports}>
        {formatLamports(amount_lamports)}
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
  );
}

/** Returns the result of the report about a recent call that was paid; undefined for none. */
function useReport({ side, id }: Entry): string | undefined {
  const isSpent = side === 'spent';
  const calls = useQuery({ ...callsQuery(), enabled: isSpent }).data;
  const called = calls?.find((one) => one.payment_id === id)?.call_id;
  const call = useQuery({ ...callQuery(called ?? ''), enabled: called !== undefined }).data;
  return formatReport(call?.reputation_filed);
}

function Facts({ entry }: { entry: Entry }) {
  const report = useReport(entry);
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
        mode !== null && ['Mode', `${mode}: ${modeLabels[mode]}`],
        nonce !== null && ['Nonce', <Copied key="nonce" text={nonce} />],
        signature !== null && ['Transaction', <Copied key="signature" text={signature} />],
        api_key_last4 !== null && [
          'Deposit key',
          <span key="key" className="mono">
            ••••{toDisplayText(api_key_last4)}
          </span>,
        ],
        latency_ms !== null && ['Answered in', formatDuration(latency_ms)],
        report !== undefined && ['Rating', toDisplayText(report)],
        ['Started', <ExactAgo key="created" at={toIsoTime(created_at)} />],
        ['Last change', <ExactAgo key="updated" at={toIsoTime(updated_at)} />],
      ]}
    />
  );
}

function MemberLink({ id }: { id: string }) {
  return (
    <Link to="/team/$id" params={{ id }}>
      {toDisplayText(id)}
    </Link>
  );
}

function Copied({ text }: { text: string }) {
  return (
    <span className={styles.copied}>
      <span className="mono small">{toDisplayText(text)}</span>
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
                  : say({ text: `${formatLamports(paid_lamports)} are paid to ${agent}. Nothing is owed to it.` }),
            })
          }
        >
          Pay what is owed to it
        </Button>
      </p>
    </>
  );
}
