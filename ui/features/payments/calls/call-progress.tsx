import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Receipt } from '../../../../daemon/contract/asks.js';
import type { Call } from '../../../../daemon/contract/payments.js';
import { isObject } from '../../../../daemon/lib/is-object.js';
import { Button } from '../../../components/button.js';
import { Loaded } from '../../../components/loaded.js';
import { EmptyState, KeyValue, Notice } from '../../../components/notes.js';
import { CodeBlock } from '../../../components/text/code-block.js';
import { CopyButton } from '../../../components/text/copy-button.js';
import { Elapsed } from '../../../components/text/time.js';
import { ApiError } from '../../../lib/api.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { toIsoTime } from '../../../lib/format/epoch.js';
import { ReceiptPanel } from '../../asks/receipt-panel.js';
import { Amount } from '../amount.js';
import { ApprovalQuestion } from '../approval-question.js';
import { approvalsQuery } from '../approvals-query.js';
import { PaymentSteps } from '../ledger/payment-steps.js';
import { NetworkMark } from '../network-mark.js';
import { formatReason, modeLabels } from '../payment-format.js';
import styles from '../payments.module.css';
import { callQuery } from '../payments-queries.js';
import { callStations, formatReport, mayHavePaid } from './call-format.js';

const Markdown = lazy(() => import('../../../components/text/markdown.js'));

const LOOK_EVERY_MS = 2_000;

/** One call from its request to its response: the 402, the payment, the 200, and the report. */
export function CallProgress({ callId, onAgain }: { callId: string; onAgain: () => void }) {
  const read = useQuery({
    ...callQuery(callId),
    // A free call publishes no event before it ends.
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? LOOK_EVERY_MS : false),
  });
  if (read.error instanceof ApiError && read.error.status === 404) {
    return (
      <EmptyState action={<Button onClick={onAgain}>Make a call</Button>}>
        There is no such call. Results are kept for 30 days; payments stay listed in Payments.
      </EmptyState>
    );
  }
  return (
    <Loaded query={read} what="The call could not be read." rows={3}>
      {(data) => <Progress call={data} onAgain={onAgain} />}
    </Loaded>
  );
}

function Progress({ call, onAgain }: { call: Call; onAgain: () => void }) {
  const { state, call_id, created_at } = call;
  const approval = useQuery({ ...approvalsQuery(), enabled: state === 'waiting' }).data?.find(
    (one) => one.call_id === call_id,
  );
  return (
    <div className={styles.call}>
      <PaymentSteps stations={callStations(call)} />
      <div role="status">
        {state === 'running' && (
          <p>
            Under way for <Elapsed since={toIsoTime(created_at)} />. It continues when you leave this page.
          </p>
        )}
        {state === 'waiting' && !approval && <p>{toDisplayText(call.reason ?? 'It needs your approval.')}</p>}
        {state === 'failed' && <Failure call={call} />}
        {state === 'done' && <p className="visually-hidden">Answered.</p>}
      </div>
      {approval && <ApprovalQuestion key={call_id} approval={approval} isFirst />}
      {state === 'done' && <Answer call={call} />}
      <Facts call={call} />
      <p>
        <Button onClick={onAgain}>
          {state === 'running' || state === 'waiting' ? 'Make another call' : 'Call again'}
        </Button>
      </p>
    </div>
  );
}

function Failure({ call }: { call: Call }) {
  const { code, message } = call.error ?? { code: '', message: '' };
  return (
    <Notice tone={code === 'denied' ? 'info' : 'failed'}>
      <p>
        <strong>{formatReason(code)}</strong> {toDisplayText(message)}
      </p>
      <p>
        {mayHavePaid(call) ? 'Lamports may have left the wallet: see its ledger entry.' : 'Nothing left the wallet.'}
      </p>
      <code className="small quiet">{code}</code>
    </Notice>
  );
}

const isReceipt = (value: unknown): value is Receipt =>
  isObject(value) && ['pubkey', 'sig', 'answer_sha256', 'member_sha256'].every((key) => typeof value[key] === 'string');

/** The agent's answer, which is untrusted. */
function Answer({ call: { result, skill } }: { call: Call }) {
  const said = isObject(result) && typeof result['result_text'] === 'string' ? result['result_text'] : undefined;
  const receipt = isObject(result) ? result['receipt'] : undefined;
  const whole = <CodeBlock label={`Answer of ${skill}`} text={JSON.stringify(result, null, 2) ?? ''} wraps />;
  return (
    <>
      {said === undefined ? (
        whole
      ) : (
        <>
          <div className={styles.answer}>
            <Suspense fallback={<p>{toDisplayText(said)}</p>}>
              <Markdown text={said} />
            </Suspense>
          </div>
          <details>
            <summary>The whole answer</summary>
            {whole}
          </details>
        </>
      )}
      {isReceipt(receipt) && <ReceiptPanel receipt={receipt} />}
    </>
  );
}

function Facts({
  call: { mode, amount_lamports, network, real, signature, payment_id, reputation_filed, call_id },
}: {
  call: Call;
}) {
  const report = formatReport(reputation_filed);
  return (
    <KeyValue
      rows={[
        amount_lamports !== null &&
          amount_lamports > 0 && [
            'Costs',
            <span key="costs" className="cluster">
              <Amount lamports={amount_lamports} />
              {network !== null && <NetworkMark network={network} isReal={real} />}
            </span>,
          ],
        mode !== null && ['Mode', modeLabels[mode]],
        signature !== null && [
          'Transaction',
          <span key="signature" className={styles.copied}>
            <span className="mono small">{toDisplayText(signature)}</span>
            <CopyButton look="quiet" text={signature} />
          </span>,
        ],
        report !== undefined && ['Report', toDisplayText(report)],
        payment_id !== null && [
          'Payments',
          <Link key="ledger" to="/ledger" search={{ q: payment_id, entry: payment_id }}>
            its entry
          </Link>,
        ],
        [
          'Call',
          <span key="call" className="mono small">
            {call_id}
          </span>,
        ],
      ]}
    />
  );
}
