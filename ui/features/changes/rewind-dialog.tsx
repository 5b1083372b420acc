import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Checkpoint, Rewind } from '../../../daemon/contract/work/changes.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { ChoiceField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { countWords, formatCheckpoint, formatLines } from './changes-format.js';
import { useFork } from './changes-mutations.js';
import { changesQuery } from './changes-queries.js';
import { WORKING_FILES } from './limits.js';
import { useUndoableRewind } from './use-undoable.js';

const FILES_SHOWN = 12;

type Choice = Rewind['what'] | 'fork';

const CHOICES: readonly { value: Choice; label: string; hint: string; needsTurn: boolean }[] = [
  { value: 'files', label: 'Files', hint: 'The files return to that state. The messages stay.', needsTurn: false },
  {
    value: 'conversation',
    label: 'Conversation',
    hint: 'The messages after it are set aside, and the agent no longer knows them. The files stay.',
    needsTurn: true,
  },
  { value: 'both', label: 'Files and conversation', hint: 'Both return to that state.', needsTurn: true },
  {
    value: 'fork',
    label: 'Fork',
    hint: 'A new conversation with the messages and files up to there. This one stays as it is.',
    needsTurn: true,
  },
];

interface RewindDialogProps {
  conv: string;
  checkpoint: Checkpoint;
  checkpoints: readonly Checkpoint[];
  /** Why nothing can be rewound now, such as a running turn. Forking is possible then. */
  problem?: string | undefined;
  onClose: () => void;
}

/** Goes back to a checkpoint, or forks the conversation there. It says first which files change. */
export function RewindDialog({ conv, checkpoint, checkpoints, problem, onClose }: RewindDialogProps) {
  const isTurn = checkpoint.kind === 'turn' || checkpoint.kind === 'start';
  const choices = CHOICES.filter(({ needsTurn }) => isTurn || !needsTurn);
  const [choice, setChoice] = useState<Choice>('files');
  const rewind = useUndoableRewind(conv);
  const fork = useForkAndOpen(conv);
  const name = formatCheckpoint(checkpoint, checkpoints);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (choice === 'fork') fork.run(checkpoint.checkpoint);
    else rewind.run({ checkpoint: checkpoint.checkpoint, what: choice }, `Back at: ${name}.`, onClose);
  };
  const error = choice === 'fork' ? fork.error : rewind.error;
  return (
    <Dialog title={`Rewind or fork: ${name}`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <fieldset className="stack">
          <legend className="visually-hidden">What returns to that state</legend>
          {choices.map(({ value, label, hint }) => (
            <ChoiceField
              key={value}
              type="radio"
              name="what"
              value={value}
              label={label}
              hint={hint}
              checked={choice === value}
              onChange={() => setChoice(value)}
            />
          ))}
        </fieldset>
        {(choice === 'files' || choice === 'both') && <FilesThatChange conv={conv} checkpoint={checkpoint} />}
        {error && <ErrorPanel what={choice === 'fork' ? 'It was not forked.' : 'Nothing was rewound.'} error={error} />}
        <FormActions
          submitLabel={choice === 'fork' ? 'Fork' : 'Rewind'}
          closeLabel="Cancel"
          isBusy={rewind.isPending || fork.isPending}
          reasonDisabled={choice === 'fork' ? undefined : problem}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

/** Lists what a rewind of the files changes: what differs now from the checkpoint. */
function FilesThatChange({ conv, checkpoint }: Pick<RewindDialogProps, 'conv' | 'checkpoint'>) {
  const changes = useQuery(changesQuery(conv, { from: checkpoint.checkpoint, to: WORKING_FILES }));
  return (
    <Loaded query={changes} what="The files that change could not be read." rows={2}>
      {({ files, count, problem }) =>
        problem !== null ? (
          <Notice tone="info">
            <p>{problem}</p>
          </Notice>
        ) : count === 0 ? (
          <p>No file changes: the files are in that state.</p>
        ) : (
          <div>
            <p>
              {countWords(count, 'file')} {count === 1 ? 'changes' : 'change'} back. What is there now is kept as a
              checkpoint.
            </p>
            <ul>
              {files.slice(0, FILES_SHOWN).map((file) => (
                <li key={file.path} className="mono small">
                  {toDisplayText(file.path)}{' '}
                  <span className="quiet">
                    {file.status === 'added'
                      ? 'is removed'
                      : file.status === 'deleted'
                        ? 'comes back'
                        : formatLines(file)}
                  </span>
                </li>
              ))}
            </ul>
            {count > FILES_SHOWN && <p className="small quiet">and {count - FILES_SHOWN} more</p>}
          </div>
        )
      }
    </Loaded>
  );
}

/** Returns a function that forks the conversation and opens the new one. */
function useForkAndOpen(conv: string) {
  const { mutate, isPending, error } = useFork(conv);
  const navigate = useNavigate();
  const say = useToast();
  const run = (checkpoint: string) =>
    mutate(checkpoint, {
      onSuccess: (forked) => {
        say({ text: 'Forked. This is the new conversation.' });
        void navigate({ to: '/talk/$conv', params: { conv: forked.conv } });
      },
    });
  return { run, isPending, error };
}
