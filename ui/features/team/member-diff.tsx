import { Link } from '@tanstack/react-router';
import type { MemberFile } from '../../../daemon/contract/team.js';
import segments from '../../components/segments.module.css';
import { Diff } from '../../components/text/diff.js';
import { viewLink } from '../../components/view-link.js';
import { useDraft } from '../../lib/drafts.js';
import { type RawDraft, rawPlace } from './member-raw.js';

/** The unsaved draft against the file, or the file against the last commit. */
export function MemberDiff({ file, against }: { file: MemberFile; against: 'disk' | 'head' }) {
  const draft = useDraft<RawDraft>(rawPlace(file.id), { revision: file.revision, text: file.text });
  return (
    <div className="stack">
      <nav aria-label="Compare with" className={segments.segments}>
        {(['disk', 'head'] as const).map((one) => (
          <Link
            key={one}
            from="/team/$id"
            to="."
            search={{ tab: 'file', as: 'diff', against: one }}
            replace
            {...viewLink(one === against)}
          >
            {one === 'disk' ? 'Unsaved text against the file on disk' : 'File on disk against git HEAD'}
          </Link>
        ))}
      </nav>
      {against === 'disk' && (
        <Diff
          label="Unsaved text against the file on disk"
          before={file.text}
          after={draft.value.text}
          sameWords="No unsaved changes."
        />
      )}
      {against === 'head' &&
        (file.committed_text === null ? (
          <p className="quiet">{file.path} is not committed yet: git has no version to compare with.</p>
        ) : (
          <Diff
            label="File on disk against git HEAD"
            before={file.committed_text}
            after={file.text}
            sameWords="The file on disk matches the last commit."
          />
        ))}
    </div>
  );
}
