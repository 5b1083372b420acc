import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notes.js';
import segments from '../../components/segments.module.css';
import { viewLink } from '../../components/view-link.js';
import { useDraft } from '../../lib/drafts.js';
import { MemberDiff } from './member-diff.js';
import { formPlace, MemberForm } from './member-form.js';
import { MemberRaw, rawPlace } from './member-raw.js';
import { memberFileQuery } from './team-queries.js';

const VIEWS = [
  { view: 'form', words: 'Form', search: { tab: 'file' } },
  { view: 'raw', words: 'Raw Markdown', search: { tab: 'file', as: 'raw' } },
  { view: 'diff', words: 'Differences', search: { tab: 'file', as: 'diff' } },
] as const;

type View = (typeof VIEWS)[number]['view'];

/** The file of a member as form, raw text or diff. A broken file has no form. */
export function MemberFileTab({
  member,
  as,
  against,
}: {
  member: MemberDetail;
  as: View;
  against: 'disk' | 'head' | undefined;
}) {
  const file = useQuery(memberFileQuery(member.id));
  const isFormDirty = useDraft<unknown>(formPlace(member.id), null).isDirty;
  const isRawDirty = useDraft<unknown>(rawPlace(member.id), null).isDirty;
  const isBroken = member.state === 'broken';
  const view: View = isBroken && as === 'form' ? 'raw' : as;
  return (
    <div className="stack">
      <ViewLinks view={view} hasForm={!isBroken} unsaved={{ form: isFormDirty, raw: isRawDirty, diff: false }} />
      {((view === 'raw' && isFormDirty) || (view === 'form' && isRawDirty)) && (
        <Notice tone="info">
          <p>
            The {view === 'raw' ? 'form' : 'raw text'} holds unsaved changes that are not in this view. Save or discard
            them there before you save here.
          </p>
        </Notice>
      )}
      {view === 'form' && <MemberForm member={member} />}
      {view !== 'form' && (
        <Loaded query={file} what="The file could not be read." rows={8}>
          {(data) =>
            view === 'raw' ? (
              <MemberRaw member={member} file={data} />
            ) : (
              <MemberDiff file={data} against={against ?? (isRawDirty ? 'disk' : 'head')} />
            )
          }
        </Loaded>
      )}
    </div>
  );
}

interface ViewLinksProps {
  view: View;
  hasForm: boolean;
  /** Which views hold unsaved changes. */
  unsaved: Record<View, boolean>;
}

function ViewLinks({ view, hasForm, unsaved }: ViewLinksProps) {
  return (
    <nav aria-label="File as" className={segments.segments}>
      {VIEWS.filter((one) => hasForm || one.view !== 'form').map((one) => (
        <Link key={one.view} from="/team/$id" to="." search={one.search} replace {...viewLink(one.view === view)}>
          {one.words}
          {unsaved[one.view] && (
            <>
              <span aria-hidden="true">•</span>
              <span className="visually-hidden">, unsaved</span>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
