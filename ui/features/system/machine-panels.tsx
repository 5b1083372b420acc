import { queryOptions, useQuery } from '@tanstack/react-query';
import type { OtherUsers } from '../../../daemon/contract/system.js';
import { formatBytes } from '../../../daemon/lib/text/format-bytes.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { call } from '../../lib/api.js';
import { ForeignStateNotice, foreignStateQuery } from './foreign-state-notice.js';

const otherUsersQuery = () =>
  queryOptions({
    queryKey: ['other-users'],
    queryFn: ({ signal }) => call<OtherUsers>('/other-users', { signal }),
    refetchInterval: 60_000,
  });

/** State that another machine made and a start set aside. */
export function ForeignStatePanel() {
  const state = useQuery(foreignStateQuery());
  return (
    <Section title="State from another machine" count={state.data?.folders.length}>
      <Loaded query={state} what="The state that was set aside could not be listed." rows={2}>
        {({ folders }) =>
          folders.length > 0 ? (
            <ForeignStateNotice />
          ) : (
            <EmptyState>Nothing was set aside: tokens, keys and records here were made on this machine.</EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}

/** Other users of this machine whose programs reached public and token-protected routes. */
export function OtherUsersPanel() {
  const others = useQuery(otherUsersQuery());
  return (
    <Section title="Other users of this machine" count={others.data?.users.length}>
      <Loaded query={others} what="The other users could not be listed." rows={2}>
        {(data) => (
          <>
            {data.users.length === 0 ? (
              <EmptyState>No program of another user has stored anything here.</EmptyState>
            ) : (
              <KeyValue
                rows={[
                  ...data.users.map(
                    ({ uid, store_bytes, store_bytes_max }) =>
                      [
                        uid === null ? 'Unknown user' : `User ${uid}`,
                        `${formatBytes(store_bytes)} of ${formatBytes(store_bytes_max)} stored`,
                      ] as const,
                  ),
                  ['All together', `${formatBytes(data.store_bytes)} of ${formatBytes(data.store_bytes_max)} stored`],
                ]}
              />
            )}
            <p className="small quiet">
              {data.identified
                ? 'Other users cannot open this dashboard. Their programs need a member token, like any other program.'
                : 'This system does not tell whose a connection is: any user of this machine can open this dashboard.'}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
