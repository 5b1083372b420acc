import { Link } from '@tanstack/react-router';
import type { RequestList } from '../../../daemon/contract/asks.js';
import type { Member } from '../../../daemon/contract/team.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { OlderRows } from '../../components/older-rows.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePages } from '../../lib/pages.js';
import { RequestRow } from './request-row.js';
import { requestsQuery } from './requests-pages.js';

const listRows = (page: RequestList) => page.requests;

/** All requests to one member, newest first. */
export function MemberRequests({ member, isExposed }: { member: Member; isExposed: boolean }) {
  const { query: requests, all } = usePages(requestsQuery({ member: member.id }), listRows);
  return (
    <Section
      title="Requests"
      actions={
        <Link to="/requests" search={{ member: member.id }}>
          Filter them
        </Link>
      }
    >
      <Loaded query={requests} what="The requests could not be read." rows={8}>
        {() =>
          all.length === 0 ? (
            <EmptyState
              command={`meshd ask ${member.id} "what does this project do?"`}
              action={
                <Link to="/team/$id" params={{ id: member.id }} search={{ tab: 'access' }}>
                  {isExposed ? 'Copy curl' : 'Show API access'}
                </Link>
              }
            >
              No requests to {toDisplayText(member.name)} yet. Each request is listed here for 30 days.
            </EmptyState>
          ) : (
            <>
              <ul className={rows.rows} aria-label="Requests">
                {all.map((request) => (
                  <RequestRow key={request.request_id} request={request} isExposed={isExposed} />
                ))}
              </ul>
              <OlderRows query={requests} shown={all.length} unit={['request', 'requests']} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
