import type { Conversation } from '../../../daemon/contract/conversations.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { toDisplayText } from '../../lib/format/display-text.js';

const WORDS = { project: 'The project folder', worktree: 'A git worktree of its own' } as const;

/** Where a conversation works, and why: its folder, and the branch of its worktree. */
export function FolderSection({ conversation: { isolation, folder } }: { conversation: Conversation }) {
  const { resolved, reason, branch, fixed } = isolation;
  return (
    <Section title="Works in">
      <KeyValue
        rows={[
          [fixed ? 'Place' : 'Next turn', WORDS[resolved]],
          ['Why', toDisplayText(reason)],
          ['Folder', <Copied key="folder" text={folder} label="Copy folder" />],
          branch !== null && ['Branch', <Copied key="branch" text={branch} label="Copy branch" />],
        ]}
      />
    </Section>
  );
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <>
      <code className="small">{toDisplayText(text)}</code> <CopyButton text={text} label={label} look="quiet" />
    </>
  );
}
