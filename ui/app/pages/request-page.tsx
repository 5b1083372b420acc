import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RequestDetail } from '../../../daemon/contract/asks.js';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Loaded } from '../../components/loaded.js';
import { KeyValue } from '../../components/notes.js';
import { PageHead, Section } from '../../components/section.js';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { BreakableText } from '../../components/text/breakable-text.js';
import { CodeBlock } from '../../components/text/code-block.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { Flag } from '../../components/text/flag.js';
import { Elapsed } from '../../components/text/time.js';
import { AnswerSoFar } from '../../features/asks/answer-so-far.js';
import { requestQuery } from '../../features/asks/asks-queries.js';
import { formatCaller } from '../../features/asks/caller-format.js';
import { formatCitations } from '../../features/asks/citation-format.js';
import { Citations } from '../../features/asks/citations.js';
import { RateAnswer } from '../../features/asks/rate-answer.js';
import { ReceiptPanel } from '../../features/asks/receipt-panel.js';
import { rawCall } from '../../features/asks/request-export.js';
import { SearchTrace } from '../../features/asks/search-trace.js';
import { RequestTimeline } from '../../features/asks/timeline.js';
import { isOpen } from '../../features/team/is-open.js';
import { memberQuery } from '../../features/team/team-queries.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatModel } from '../../lib/format/format-model.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { usePageTitle } from '../page-title.js';
import { MissingPage } from './missing-page.js';
import { RequestActions } from './request-actions.js';
import styles from './request-page.module.css';

const route = getRouteApi('/requests/$rid');
/** A longer question is set as prose instead of as a headline. */
const HEADLINE_CHARS = 240;

export function RequestPage() {
  const { rid } = route.useParams();
  const request = useQuery(requestQuery(rid));
  usePageTitle(
    request.data
      ? `${statusWord(request.data.status, request.data.error?.code)}: ${request.data.text.slice(0, 60)}`
      : 'Request',
  );
  if (MissingPage.fits(request.error)) {
    return (
      <MissingPage title="There is no such request" name={rid} to="/requests" words="Show the requests">
        Records are kept 30 days; or the address is mistyped.
      </MissingPage>
    );
  }
  return (
    <Loaded query={request} what="The request could not be read." rows={8}>
      {(data) => (
        <>
          <RequestView request={data} />
        </>
      )}
    </Loaded>
  );
}

function RequestView({ request }: { request: RequestDetail }) {
  const member = useQuery(memberQuery(request.member)).data;
  return (
    <>
      <RequestHead request={request} member={member} />
      <div className={styles.body}>
        <div className={styles.columns}>
          <Exchange request={request} />
          <div className="sections">
            <Section title="Timeline">
              <RequestTimeline request={request} />
            </Section>
            <CallerFacts request={request} />
            <RunFacts request={request} />
            {request.receipt && (
              <Section title="Receipt">
                <ReceiptPanel receipt={request.receipt} record={request} />
              </Section>
            )}
            <details>
              <summary>Raw JSON</summary>
              {!request.caller.test && <CodeBlock label="The original request" text={rawCall(request)} />}
              <CodeBlock label={`GET /requests/${request.request_id}`} text={JSON.stringify(request, null, 2)} />
            </details>
          </div>
        </div>
      </div>
    </>
  );
}

function RequestHead({ request, member }: { request: RequestDetail; member: MemberDetail | undefined }) {
  const isExposed = member !== undefined && isOpen(member);
  const isOver = request.status === 'done' || request.status === 'error';
  return (
    <PageHead
      title={
        <span className={styles.title}>
          <Flag id={request.member} size={32} isRaised={request.status === 'running'} isExposed={isExposed} />
          Ask to {toDisplayText(member?.name ?? request.member)}
        </span>
      }
      lede={
        <p className="cluster">
          <span role="status">
            <StatusMark word={statusWord(request.status, request.error?.code)} />
          </span>
          <span className="mono">{request.request_id}</span>
          <span>
            asked {isOver && <ExactAgo at={request.created_at} />} by {formatCaller(request.caller)}
          </span>
          {isOver && request.finished_at ? (
            <span className="mono">
              {formatDuration(Date.parse(request.finished_at) - Date.parse(request.created_at))}
            </span>
          ) : (
            <Elapsed since={request.created_at} />
          )}
        </p>
      }
      actions={<RequestActions request={request} token={member?.token} isExposed={isExposed} />}
    />
  );
}

/** The question with its documents, the answer and the citations. */
function Exchange({ request }: { request: RequestDetail }) {
  return (
    <div className="sections">
      <div
        className={[
          styles.question,
          request.text.length > HEADLINE_CHARS ? styles.long : '',
          request.caller.operator ? styles.own : '',
        ].join(' ')}
      >
        <p className={styles.from}>asked by {formatCaller(request.caller)}</p>
        <BreakableText text={request.text} />
      </div>
      {request.context_docs.length > 0 && (
        <details className={styles.docs}>
          <summary>
            {request.context_docs.length} {request.context_docs.length === 1 ? 'document' : 'documents'} attached
          </summary>
          <div className="stack">
            {request.context_docs.map((doc) => (
              <CodeBlock key={doc.filename} label={doc.filename} text={doc.content} wraps />
            ))}
          </div>
        </details>
      )}
      <Section title="Answer">
        <div className={`${styles.answer} stack`}>
          <AnswerSoFar request={request} />
        </div>
        {request.status === 'done' && <RateAnswer request={request} />}
      </Section>
      {request.citations && request.citations.length > 0 && (
        <Section title="Citations" count={formatCitations(request.citations, request.total)}>
          <Citations cited={{ rid: request.request_id }} citations={request.citations} />
        </Section>
      )}
      {request.confidence !== undefined && <SearchTrace rid={request.request_id} />}
    </div>
  );
}

function CallerFacts({ request: { caller, session } }: { request: RequestDetail }) {
  return (
    <Section title="Caller">
      <KeyValue
        rows={[
          !caller.test && ['User-Agent', caller.user_agent === null ? 'none' : toDisplayText(caller.user_agent)],
          [
            'Authentication',
            caller.test
              ? 'your tests of this member: no outside program'
              : caller.operator
                ? 'you, at this dashboard'
                : 'Authenticated by member token',
          ],
          session !== null && ['Session', <code key="session">{session}</code>],
          caller.idempotency_key !== null && ['Repeat key', <code key="key">{caller.idempotency_key}</code>],
        ]}
      />
    </Section>
  );
}

function RunFacts({ request }: { request: RequestDetail }) {
  return (
    <Section title="Run">
      <KeyValue
        rows={[
          [
            'Member',
            <Link key="member" to="/team/$id" params={{ id: request.member }}>
              {request.member}
            </Link>,
          ],
          ['Client', request.client],
          ['Model', formatModel(null, request.model)],
          [
            'Conversation',
            <Link key="conv" to="/talk/$conv" params={{ conv: request.conv }} className="mono">
              {request.conv}
            </Link>,
          ],
          request.queue_position !== undefined && [
            'Queue',
            request.queue_position === 1 ? 'next' : `${request.queue_position} in line`,
          ],
        ]}
      />
    </Section>
  );
}
