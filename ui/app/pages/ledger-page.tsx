import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useState } from 'react';
import type { LedgerEntry as Entry, Ledger } from '../../../daemon/contract/payments.js';
import { Button, buttonClass } from '../../components/button.js';
import { ErrorBoundary } from '../../components/error-boundary.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import rows from '../../components/rows.module.css';
import { PageHead, Section } from '../../components/section.js';
import { Amount } from '../../features/payments/amount.js';
import { ApprovalNeed } from '../../features/payments/approval-need.js';
import { approvalsQuery } from '../../features/payments/approvals-query.js';
import { CapsPanel } from '../../features/payments/caps-panel.js';
import { type CallGroup, groupByCall, isUnpaidRequest } from '../../features/payments/ledger/call-groups.js';
import { DepositsPanel, EarningsPanel } from '../../features/payments/ledger/earnings-panel.js';
import { LedgerEntry } from '../../features/payments/ledger/ledger-entry.js';
import { LedgerFilterFields } from '../../features/payments/ledger/ledger-filter-fields.js';
import { type LedgerFilters, readLedgerSearch, toLedgerFilters } from '../../features/payments/ledger/ledger-search.js';
import { ReceiptCheck } from '../../features/payments/ledger/receipt-check.js';
import { ReputationLinks } from '../../features/payments/ledger/reputation-links.js';
import { SumsPanel } from '../../features/payments/ledger/sums-panel.js';
import { ledgerTotalsQuery } from '../../features/payments/ledger-totals-query.js';
import { isInProgress } from '../../features/payments/payment-format.js';
import styles from '../../features/payments/payments.module.css';
import { ledgerQuery } from '../../features/payments/payments-queries.js';
import { WalletsPanel } from '../../features/payments/wallets-panel.js';
import { query } from '../../lib/api.js';
import { usePages } from '../../lib/pages.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/ledger');
const listRows = (page: Ledger) => page.entries;

export function LedgerPage() {
  const search = readLedgerSearch({ ...route.useSearch() });
  const filters = toLedgerFilters(search);
  const totals = useQuery(ledgerTotalsQuery());
  const approvals = useQuery(approvalsQuery()).data ?? [];
  usePageTitle('Payments', approvals.length);
  return (
    <>
      <PageHead
        title="Payments"
        lede="Received and made by the agents of this daemon. Agents pay each other directly."
        actions={
          <a href={`/ledger/export.csv${query({ ...filters })}`} download="ledger.csv" className={buttonClass()}>
            Export CSV
          </a>
        }
      />
      <Loaded query={totals} what="The totals could not be loaded." rows={2}>
        {(data) => <Totals standing={data} />}
      </Loaded>
      <div className={styles.columns}>
        <div className="sections">
          {approvals.length > 0 && (
            <Section title="Needs you" count={approvals.length}>
              <ul className={rows.rows}>
                {approvals.map((approval) => (
                  <ApprovalNeed key={approval.call_id} approval={approval} />
                ))}
              </ul>
            </Section>
          )}
          <ErrorBoundary what="The entries could not be drawn.">
            <Entries filters={filters} open={search.entry} />
          </ErrorBoundary>
        </div>
        <div className="sections">
          <ErrorBoundary what="The wallets could not be drawn.">
            <WalletsPanel />
          </ErrorBoundary>
          {totals.data && (
            <ErrorBoundary what="Caps and balances could not be drawn.">
              <CapsPanel caps={totals.data.caps} spentToday={totals.data.spent_today_lamports} />
              <EarningsPanel tills={totals.data.tills} />
              <DepositsPanel deposits={totals.data.deposits} />
              <SumsPanel sums={totals.data.sums} />
              <ReputationLinks tills={totals.data.tills} />
            </ErrorBoundary>
          )}
          <ReceiptCheck />
        </div>
      </div>
    </>
  );
}

function Totals({ standing: ledgerTotals }: { standing: Ledger }) {
  const totals = [
    ['Earned', ledgerTotals.earned_lamports],
    ['Spent', ledgerTotals.spent_lamports],
    ['Spent today', ledgerTotals.spent_today_lamports],
  ] as const;
  return (
    <dl className={styles.totals}>
      {totals.map(([words, lamports]) => (
        <div key={words} className={styles.total}>
          <dt>{words}</dt>
          <dd>
            <Amount lamports={lamports} isLarge />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The entries that match the filters, newest first. */
function Entries({ filters, open }: { filters: LedgerFilters; open: string | undefined }) {
  const navigate = useNavigate({ from: '/ledger' });
  const { query: ledger, all } = usePages(ledgerQuery(filters), listRows);
  const change = useCallback(
    (changed: LedgerFilters) =>
      void navigate({ search: (was) => ({ ...was, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  );
  const setWords = useCallback((q: string) => change({ q: q || undefined }), [change]);
  const setAgent = useCallback((agent: string) => change({ agent: agent || undefined }), [change]);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Section title="Entries">
      <div className="stack" style={{ paddingTop: 12 }}>
        {(isFiltered || all.length > 0 || ledger.isPending) && (
          <LedgerFilterFields filters={filters} onChange={change} onWords={setWords} onAgent={setAgent} />
        )}
        <Loaded query={ledger} what="The entries could not be read." rows={8}>
          {() =>
            all.length > 0 ? (
              <div>
                <List key={JSON.stringify(filters)} entries={all} open={open} folds={filters.state === undefined} />
                <OlderRows query={ledger} shown={all.length} unit={['entry', 'entries']} />
              </div>
            ) : isFiltered ? (
              <EmptyState
                action={<Button onClick={() => void navigate({ search: {}, replace: true })}>Clear the filters</Button>}
              >
                No entry matches these filters.
              </EmptyState>
            ) : (
              <EmptyState
                command="meshd wallet pay <address> --lamports 1000"
                action={<Link to="/find">Find an agent to call</Link>}
              >
                No payments yet. Calls to members with a price and calls to other agents are listed here.
              </EmptyState>
            )
          }
        </Loaded>
      </div>
    </Section>
  );
}

interface ListProps {
  entries: readonly Entry[];
  open: string | undefined;
  /** Payment requests that nobody paid are folded below the others. */
  folds: boolean;
}

/** One row for each call. */
function List({ entries, open, folds }: ListProps) {
  const [first] = useState(() => new Set(entries.map(({ id }) => id)));
  const groups = groupByCall(entries);
  const unpaid = folds ? groups.filter(isUnpaidRequest) : [];
  const row = (group: CallGroup) => {
    const { entry, others } = group;
    return (
      <LedgerEntry
        key={entry.id}
        group={group}
        isOpen={[entry, ...others].some(({ id }) => id === open)}
        isArrival={!first.has(entry.id) && isInProgress(entry.state)}
      />
    );
  };
  const paid = groups.filter((group) => !unpaid.includes(group));
  return (
    <>
      {paid.length > 0 && (
        <ul className={rows.rows} aria-label="Entries">
          {paid.map(row)}
        </ul>
      )}
      {unpaid.length > 0 && (
        <UnpaidRequests count={unpaid.length} isOpen={unpaid.some(({ entry }) => entry.id === open)}>
          {unpaid.map(row)}
        </UnpaidRequests>
      )}
    </>
  );
}

function UnpaidRequests({ count, isOpen, children }: { count: number; isOpen: boolean; children: ReactNode }) {
  const [isShown, show] = useState(isOpen);
  return (
    <details open={isShown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary className={styles.note}>
        {count} expired {count === 1 ? 'payment request' : 'payment requests'}: nobody paid within ten minutes, and
        nothing was carried out.
      </summary>
      {isShown && (
        <ul className={rows.rows} aria-label="Expired payment requests">
          {children}
        </ul>
      )}
    </details>
  );
}
