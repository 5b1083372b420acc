import type { ChangedFile } from '../../../daemon/contract/work/changes.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatLines, STATUS_LETTERS, STATUS_WORDS } from './changes-format.js';

interface FileListProps {
  files: readonly ChangedFile[];
  /** Comments by path. */
  comments: ReadonlyMap<string, readonly unknown[]>;
  onOpen: (path: string) => void;
}

/** The changed files with their status and counts. A press scrolls to the file. */
export function FileList({ files, comments, onOpen }: FileListProps) {
  return (
    <ul className="fileList" aria-label="Changed files">
      {files.map((file) => {
        const count = comments.get(file.path)?.length ?? 0;
        return (
          <li key={file.path}>
            <button type="button" onClick={() => onOpen(file.path)}>
              <span className={`letter ${file.status}`} title={STATUS_WORDS[file.status]}>
                <span aria-hidden="true">{STATUS_LETTERS[file.status]}</span>
                <span className="visually-hidden">{STATUS_WORDS[file.status]}: </span>
              </span>
              <span className="path">{toDisplayText(file.path)}</span>
              <span className="mono small quiet">
                {formatLines(file)}
                {count > 0 && ` · ${count} comment${count === 1 ? '' : 's'}`}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
