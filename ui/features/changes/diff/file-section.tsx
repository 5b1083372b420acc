import { useQuery } from '@tanstack/react-query';
import { memo, type RefObject, useId, useRef, useState } from 'react';
import type { ChangedFile } from '../../../../daemon/contract/work/changes.js';
import type { ReviewComment } from '../../../../daemon/contract/work/reviews.js';
import { Badge } from '../../../components/badge.js';
import { Button } from '../../../components/button.js';
import { ChoiceField } from '../../../components/field.js';
import { CopyButton } from '../../../components/text/copy-button.js';
import { Icon } from '../../../components/text/icon.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import { formatLines, STATUS_WORDS } from '../changes-format.js';
import { fileDiffQuery } from '../changes-queries.js';
import { useUndoableRevert } from '../use-undoable.js';
import { digestCounts, digestPatch, isSameChange } from '../viewed-files.js';
import { type ComparisonLook, FileBody, guessHeight } from './file-body.js';
import { useLineSelection } from './line-selection.js';
import type { FocusRequest } from './use-diff-keys.js';
import { useNear } from './use-near.js';

interface FileSectionProps {
  conv: string;
  file: ChangedFile;
  look: ComparisonLook;
  comments: readonly ReviewComment[];
  /** The digest of the change that was marked as viewed. */
  viewed: string | undefined;
  onViewed: (path: string, digest: string | undefined) => void;
  wish: RefObject<FocusRequest | undefined>;
}

/** A changed file: its head, and its diff once it is near the view. Generated and viewed files are closed at first. */
export const FileSection = memo(function FileSection(props: FileSectionProps) {
  const { conv, file, look, viewed, onViewed } = props;
  const place = useRef<HTMLElement>(null);
  const isNear = useNear(place);
  const id = useId();
  const [isOpened, setIsOpened] = useState<boolean>();
  const diff = useQuery({
    ...fileDiffQuery(conv, look.range, file.path, look.spaces),
    // A viewed file is loaded, too, because the mark belongs to one version of its change.
    enabled: isNear && (isOpened ?? (!file.generated || viewed !== undefined)),
  });
  const patch = diff.data?.patch;
  const isViewed = viewed !== undefined && isSameChange(viewed, file, patch);
  const isOpen = isOpened ?? !(file.generated || isViewed);
  const lines = useLineSelection();
  const setViewed = (isOn: boolean) => {
    onViewed(file.path, isOn ? (patch === undefined ? digestCounts(file) : digestPatch(patch)) : undefined);
    setIsOpened(undefined);
  };
  return (
    <section ref={place} className="file" data-file={file.path} aria-labelledby={id}>
      <div className="fileHead">
        <h2 id={id}>
          <button
            type="button"
            className="fileName"
            data-file-head=""
            aria-expanded={isOpen}
            onClick={() => setIsOpened(!isOpen)}
          >
            <Icon name={isOpen ? 'fold' : 'unfold'} />
            <span>
              {file.old_path !== null && `${toDisplayText(file.old_path)} → `}
              {toDisplayText(file.path)}
            </span>
          </button>
        </h2>
        {isNear && (
          <FileFacts
            {...props}
            isViewed={isViewed}
            onViewed={setViewed}
            onComment={() => {
              setIsOpened(true);
              lines.selectFile();
            }}
          />
        )}
      </div>
      {isOpen &&
        (isNear ? (
          <FileBody {...props} diff={diff} lines={lines} />
        ) : (
          <div data-waiting={file.path} style={{ height: guessHeight(file) }} />
        ))}
    </section>
  );
});

interface FileFactsProps extends Omit<FileSectionProps, 'onViewed'> {
  isViewed: boolean;
  onViewed: (isViewed: boolean) => void;
  onComment: () => void;
}

function FileFacts({ conv, file, look, isViewed, onViewed, onComment }: FileFactsProps) {
  const revert = useUndoableRevert(conv);
  const { from } = look.range;
  const name = toDisplayText(file.path);
  return (
    <div className="fileFacts">
      <span className="small">{STATUS_WORDS[file.status]}</span>
      <span className="mono small">{formatLines(file)}</span>
      {file.generated && <Badge>generated</Badge>}
      {file.binary && <Badge>binary</Badge>}
      <span className="acts">
        <CopyButton text={file.path} label="Copy path" look="quiet" />
        <Button isSmall look="quiet" aria-label={`Comment on ${name}`} onClick={onComment}>
          Comment
        </Button>
        {look.canRevert && (
          <Button
            isSmall
            look="quiet"
            isBusy={revert.isPending}
            aria-label={`Revert ${name}`}
            onClick={() =>
              revert.run({ path: file.path, ...(from !== undefined && { from }) }, `${name} was reverted.`)
            }
          >
            Revert file
          </Button>
        )}
        <span data-viewed="">
          <ChoiceField
            label={
              <>
                Viewed<span className="visually-hidden"> {name}</span>
              </>
            }
            checked={isViewed}
            onChange={(event) => onViewed(event.target.checked)}
          />
        </span>
      </span>
    </div>
  );
}
