import { useState } from 'react';
import type { AgentFormat, Exported, ExportedList, Leftover } from '../../../daemon/contract/imports.js';
import { Button } from '../../components/button.js';
import panels from '../../components/panels.module.css';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { canBeWritten, countWrites, isMeant, NO_EXPORT_CHOICE, needsConsent, withoutWritten } from './export-choice.js';
import { ExportRow } from './export-row.js';
import { useExport } from './imports-mutations.js';
import { TOOL_NAMES } from './tool-names.js';

const formatFileCount = (count: number) => (count === 1 ? '1 file' : `${count} files`);

/** The selection of an export, its writing, and the members written so far. */
function useExportChoice(tool: AgentFormat, files: readonly Exported[], isOne: boolean) {
  // An export of a single member selects it, whatever its file's state.
  const [choice, setChoice] = useState(
    isOne ? { ...NO_EXPORT_CHOICE, ticked: Object.fromEntries(files.map(({ id }) => [id, true])) } : NO_EXPORT_CHOICE,
  );
  const [written, setWritten] = useState<ReadonlySet<string>>(new Set());
  const write = useExport();
  const say = useToast();
  const { ids, replace } = countWrites(files, choice);
  const writeThem = () =>
    write.mutate(
      { format: tool, ids, replace },
      {
        onSuccess: (done) => {
          const those = done.files.filter((file) => file.written);
          setWritten(new Set([...written, ...those.map(({ id }) => id)]));
          setChoice((chosen) => withoutWritten(chosen, those));
          const left = ids.length - those.length;
          if (left === 0) say({ text: `${formatFileCount(those.length)} written for ${TOOL_NAMES[tool]}.` });
          else
            say({
              text: `${formatFileCount(those.length)} written; ${left} had changed meanwhile and were kept.`,
              tone: 'failed',
            });
        },
      },
    );
  return { choice, setChoice, written, ids, writeThem, isWriting: write.isPending, error: write.error };
}

interface ExportFormProps {
  tool: AgentFormat;
  list: ExportedList;
  isOne: boolean;
}

/**
 * All files that an export to one tool would write, with the selection. Nothing is written before the button is
 * pressed.
 */
export function ExportForm({ tool, list: { files, leftovers }, isOne }: ExportFormProps) {
  const { choice, setChoice, written, ids, writeThem, isWriting, error } = useExportChoice(tool, files, isOne);
  const inStep = files.filter(({ state }) => state === 'same').length;
  return (
    <div className="sections">
      <Section title={TOOL_NAMES[tool]} count={inStep === 0 ? files.length : `${inStep} of ${files.length} up to date`}>
        <ul className={rows.rows} aria-label={`Files for ${TOOL_NAMES[tool]}`}>
          {files.map((file) => (
            <ExportRow
              key={file.id}
              file={file}
              isTicked={isMeant(file, choice)}
              onTick={(ticked) => setChoice({ ...choice, ticked: { ...choice.ticked, [file.id]: ticked } })}
              mayReplace={choice.replaced[file.id] === true}
              onReplace={(mayReplace) =>
                setChoice({ ...choice, replaced: { ...choice.replaced, [file.id]: mayReplace } })
              }
              wasWritten={written.has(file.id) && file.state === 'same'}
              isOpenAtFirst={isOne}
            />
          ))}
        </ul>
      </Section>
      {leftovers.length > 0 && <Leftovers tool={tool} leftovers={leftovers} />}
      <div className={panels.formBar}>
        {error && <ErrorPanel what="Not every file was written." error={error} />}
        {files.some(canBeWritten) ? (
          <WriteButton
            count={ids.length}
            isWaiting={files.some((file) => needsConsent(file, choice))}
            isBusy={isWriting}
            onWrite={writeThem}
          />
        ) : (
          <span>{isOne ? 'Nothing to write.' : 'Every file is up to date.'}</span>
        )}
        <span className="quiet small">
          {isOne ? (
            'The member is not changed.'
          ) : (
            <>
              In a terminal: <code>meshd team export --all --to {tool} --write</code>. Run it again to update them.
            </>
          )}
        </span>
      </div>
    </div>
  );
}

interface WriteButtonProps {
  count: number;
  /** A selected file needs the consent to be replaced. */
  isWaiting: boolean;
  isBusy: boolean;
  onWrite: () => void;
}

function WriteButton({ count, isWaiting, isBusy, onWrite }: WriteButtonProps) {
  const reason = isWaiting
    ? 'Allow each file that meshd did not write to be replaced, or deselect it.'
    : count > 0
      ? undefined
      : 'Select at least one member.';
  return (
    <Button look="primary" isBusy={isBusy} reasonDisabled={reason} onClick={onWrite}>
      Write {formatFileCount(count)}
    </Button>
  );
}

/** Unmodified files that meshd wrote for members that no longer exist. */
function Leftovers({ tool, leftovers }: { tool: AgentFormat; leftovers: readonly Leftover[] }) {
  const prune = useExport();
  const say = useToast();
  return (
    <Section
      title="Files of removed members"
      count={leftovers.length}
      actions={
        <Button
          look="danger"
          isSmall
          isBusy={prune.isPending}
          onClick={() =>
            prune.mutate(
              { format: tool, ids: [], prune: true },
              { onSuccess: (done) => say({ text: `${formatFileCount(done.leftovers.length)} removed.` }) },
            )
          }
        >
          Remove {formatFileCount(leftovers.length)}
        </Button>
      }
    >
      {prune.error && <ErrorPanel what="They were not removed." error={prune.error} />}
      <ul className={rows.rows}>
        {leftovers.map(({ id, path }) => (
          <li key={path}>
            <span>
              <span className="mono">{toDisplayText(path)}</span>{' '}
              <span className="quiet">of {id}, as meshd wrote it</span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
