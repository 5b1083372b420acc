import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Worktree, WorktreeList, WorktreeRemoved } from '../../../daemon/contract/work/worktrees.js';
import { formatBytes } from '../../../daemon/lib/text/format-bytes.js';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState, KeyValue, Notice } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { ExactAgo } from '../../components/text/exact-ago.js';
import { useToast } from '../../components/toasts.js';
import { call } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './asked/asked.module.css';
import { conversationPath, conversationsKeys } from './conversations-queries.js';

/** Below the key of the lists, so that every change of a conversation refreshes it. */
const worktreesQuery = () =>
  queryOptions({
    queryKey: [...conversationsKeys.lists, 'worktrees'] as const,
    queryFn: ({ signal }) => call<WorktreeList>('/worktrees', { signal }),
  });

/** The git worktrees of conversations with their sizes, and their removal. */
export function WorktreesPanel() {
  const list = useQuery(worktreesQuery());
  return (
    <Section title="Worktrees of conversations" count={list.data?.count}>
      <Loaded query={list} what="The worktrees could not be listed." rows={2}>
        {({ worktrees, disk_bytes, problem, folder }) => (
          <>
            {problem !== null && <Notice tone="info">{toDisplayText(problem)}</Notice>}
            {worktrees.length === 0 ? (
              <EmptyState command="meshd worktrees ls">
                No conversation has a worktree. One is made before the first turn of a member that edits files.
              </EmptyState>
            ) : (
              <>
                <KeyValue
                  rows={[
                    ['On disk', formatBytes(disk_bytes)],
                    [
                      'Folder',
                      <code key="folder" className="small">
                        {toDisplayText(folder ?? '')}
                      </code>,
                    ],
                  ]}
                />
                <ul className={rows.rows}>
                  {worktrees.map((worktree) => (
                    <WorktreeRow key={worktree.conv} worktree={worktree} />
                  ))}
                </ul>
                <p className="small quiet">
                  One without changes, and without repositories in it, is removed a week after its last turn.
                </p>
              </>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const countFiles = (count: number) => `${count} changed file${count === 1 ? '' : 's'}`;

function WorktreeRow({ worktree }: { worktree: Worktree }) {
  const { conv, title, branch, disk_bytes, changed_files, repositories, running, used_at } = worktree;
  const [isAsking, setIsAsking] = useState(false);
  const remove = useRemoval(worktree, () => setIsAsking(false));
  const name = toDisplayText(title);
  const isLossless = changed_files === 0 && repositories.length === 0;
  return (
    <li className={styles.row}>
      <span>
        <Link to="/talk/$conv" params={{ conv }}>
          {name}
        </Link>
        <span className="small quiet">
          <br />
          {branch !== null && <code>{toDisplayText(branch)}</code>}
          {branch !== null && ', '}
          {countFiles(changed_files)}, {formatBytes(disk_bytes)},{' '}
          {running ? 'running' : <ExactAgo key="used" at={used_at} />}
        </span>
      </span>
      <Button
        isSmall
        isBusy={remove.isPending}
        reasonDisabled={running ? 'A turn works in it.' : undefined}
        aria-label={`Remove the worktree of ${name}`}
        onClick={() => (isLossless ? remove.mutate(false) : setIsAsking(true))}
      >
        Remove
      </Button>
      {isAsking && (
        <Dialog title="Remove the worktree?" onClose={() => setIsAsking(false)}>
          <div className="stack">
            <p>
              The worktree of “{name}” has {countFiles(changed_files)}. What it changed stays in the repository on a ref
              below <code>refs/meshd/kept</code>; the folder and its branch are removed.
            </p>
            {repositories.length > 0 && (
              <Notice tone="needs">
                What is in these repositories is lost: {toDisplayText(repositories.join(', '))}
              </Notice>
            )}
            {remove.error && <ErrorPanel what="It was not removed." error={remove.error} />}
            <DialogActions>
              <Button onClick={() => setIsAsking(false)}>Keep it</Button>
              <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate(true)}>
                Remove it
              </Button>
            </DialogActions>
          </div>
        </Dialog>
      )}
    </li>
  );
}

function useRemoval({ conv, title }: Worktree, onRemoved: () => void) {
  const client = useQueryClient();
  const say = useToast();
  return useMutation({
    mutationFn: (discard: boolean) =>
      call<WorktreeRemoved>(`${conversationPath(conv)}/worktree${discard ? '?changes=discard' : ''}`, {
        method: 'DELETE',
      }),
    onSuccess: ({ kept }) => {
      onRemoved();
      say({
        text: `Removed the worktree of ${toDisplayText(title)}.${kept === null ? '' : ` Its changes are at ${kept}.`}`,
      });
    },
    onSettled: () => client.invalidateQueries({ queryKey: conversationsKeys.lists }),
  });
}
