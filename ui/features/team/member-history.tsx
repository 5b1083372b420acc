import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MemberHistory as History, MemberCommit, MemberDetail } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { Diff } from '../../components/text/diff.js';
import { Ago } from '../../components/text/time.js';
import { useDraft } from '../../lib/drafts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { memberHistoryQuery, memberRevisionQuery } from './history-queries.js';
import styles from './member-history.module.css';
import { type RawDraft, rawPlace } from './member-raw.js';

/** The commits that changed a member's file. The one in the query is shown with its diff. */
export default function MemberHistory({ member, commit }: { member: MemberDetail; commit: string | undefined }) {
  const history = useQuery(memberHistoryQuery(member.id));
  return (
    <Loaded query={history} what="The git history of the file could not be read." rows={6}>
      {(data) => <Commits member={member} history={data} shown={commit} />}
    </Loaded>
  );
}

const commitStateLabels = {
  committed: 'The file on disk matches the last commit.',
  changed: 'The file on disk differs from the last commit.',
  uncommitted: 'The file on disk is not committed yet.',
} as const;

function Commits({ member, history, shown }: { member: MemberDetail; history: History; shown: string | undefined }) {
  const { path, repository, standing: commitState, commits, has_more } = history;
  if (!repository) {
    return (
      <EmptyState command="git init">
        This project is not a git repository, so there are no earlier versions of {path}.
      </EmptyState>
    );
  }
  const log = `git log -p -- ${path}`;
  return (
    <Section title="History" count={has_more ? `the newest ${commits.length}` : commits.length}>
      <div className={styles.lead}>
        <p>
          {commitStateLabels[commitState]}{' '}
          {commitState === 'changed' && (
            <Link from="/team/$id" to="." search={{ tab: 'file', as: 'diff', against: 'head' }}>
              Show the difference
            </Link>
          )}
        </p>
        <p className="small cluster">
          In a terminal: <code>{commits.length > 0 ? log : `git add ${path}`}</code>
          <CopyButton look="quiet" text={commits.length > 0 ? log : `git add ${path}`} label="Copy the command" />
        </p>
      </div>
      {commits.length === 0 ? (
        <EmptyState>
          This file is not committed. After you commit it, its versions are listed here. meshd never commits.
        </EmptyState>
      ) : (
        <ol className={styles.commits} aria-label="Commits">
          {commits.map((one) => (
            <li key={one.commit}>
              <CommitLine commit={one} isShown={one.commit === shown} />
              {one.commit === shown && <Change member={member} commit={one} />}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function CommitLine({ commit: { commit, at, author, subject }, isShown }: { commit: MemberCommit; isShown: boolean }) {
  return (
    <div className={styles.line}>
      <code className="quiet">{commit.slice(0, 7)}</code>
      <Link
        from="/team/$id"
        to="."
        search={isShown ? { tab: 'history' } : { tab: 'history', commit }}
        replace
        resetScroll={false}
        aria-expanded={isShown}
        className={styles.subject}
        data-row=""
      >
        {toDisplayText(subject) || 'without a subject'}
      </Link>
      <span className="small quiet">
        {toDisplayText(author)} · <Ago at={at} />
      </span>
    </div>
  );
}

/** What a commit changed in the file, and a button to load its version into the editor. */
function Change({ member, commit: { commit, subject } }: { member: MemberDetail; commit: MemberCommit }) {
  const revision = useQuery(memberRevisionQuery(member.id, commit));
  const draft = useDraft<RawDraft | undefined>(rawPlace(member.id), undefined);
  const navigate = useNavigate({ from: '/team/$id' });
  return (
    <div className={styles.change}>
      <Loaded query={revision} what="The version could not be read." rows={3}>
        {({ text, before }) => (
          <>
            <Diff
              label={`What “${toDisplayText(subject)}” changed`}
              before={before ?? ''}
              after={text ?? ''}
              sameWords="This commit did not change the text."
            />
            {text === null ? (
              <p className="quiet">This commit removed the file.</p>
            ) : (
              <p className="cluster">
                <Button
                  isSmall
                  reasonDisabled={
                    draft.isDirty ? 'The raw editor holds unsaved text: save or discard it first.' : undefined
                  }
                  onClick={() => {
                    draft.set({ revision: member.revision, text });
                    void navigate({ search: { tab: 'file', as: 'raw' } });
                  }}
                >
                  Open this version in the editor
                </Button>
                <span className="small quiet">Nothing is written until you save it there.</span>
              </p>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}
