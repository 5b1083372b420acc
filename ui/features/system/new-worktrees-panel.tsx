import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { ISOLATION_DEFAULTS } from '../../../daemon/contract/work/worktrees.js';
import { Button } from '../../components/button.js';
import { SelectField, TextArea } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import styles from './doctor-panel.module.css';
import { usePatchPreferences } from './system-mutations.js';
import { preferencesQuery } from './system-queries.js';

type IsolationDefault = (typeof ISOLATION_DEFAULTS)[number];

/** What is in the form; patterns as one a line. */
interface Typed {
  place: IsolationDefault;
  copy: string;
  link: string;
  setup: string;
}

const PLACES: readonly { value: IsolationDefault; label: string }[] = [
  { value: 'automatic', label: 'A worktree for members that edit files' },
  { value: 'worktree', label: 'A worktree for every member' },
  { value: 'project', label: 'The project folder' },
];

const TEXTS: readonly { name: 'copy' | 'link' | 'setup'; label: string; hint: string }[] = [
  {
    name: 'copy',
    label: 'Copied into a new worktree',
    hint:
      'Files that git does not track, one pattern a line, such as .env or config/*.local. No file of the project ' +
      'sets this.',
  },
  {
    name: 'link',
    label: 'Linked into a new worktree',
    hint: 'Shared with the project folder: what an agent changes there changes there, too. Such as node_modules.',
  },
  {
    name: 'setup',
    label: 'Set-up command',
    hint: 'A shell command, run once in each new worktree with the environment that agents have.',
  },
];

/** Where conversations work that choose nothing, and what their worktrees are given beside the tracked files. */
export function NewWorktreesPanel() {
  const preferences = useQuery(preferencesQuery());
  return (
    <Section title="Where conversations work">
      <Loaded query={preferences} what="The preferences could not be read." rows={4}>
        {({ isolation_default, worktrees: { copy, link, setup } }) => (
          <Settings stored={{ place: isolation_default, copy: copy.join('\n'), link: link.join('\n'), setup }} />
        )}
      </Loaded>
    </Section>
  );
}

const readPatterns = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function Settings({ stored }: { stored: Typed }) {
  const [typed, setTyped] = useState<Partial<Typed>>({});
  const patch = usePatchPreferences();
  const say = useToast();
  const { place, ...texts } = { ...stored, ...typed };
  const change = (part: Partial<Typed>) => setTyped({ ...typed, ...part });
  const isSame = place === stored.place && TEXTS.every(({ name }) => texts[name] === stored[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSame) return;
    const { copy, link, setup } = texts;
    const worktrees = { copy: readPatterns(copy), link: readPatterns(link), setup: setup.trim() };
    const onSuccess = () => {
      setTyped({});
      say({ text: 'Saved for the next worktrees.' });
    };
    patch.mutate({ isolation_default: place, worktrees }, { onSuccess });
  };
  return (
    <form className={styles.preferences} onSubmit={submit}>
      <SelectField
        label="By default"
        hint="A conversation can choose another place before its first turn."
        options={PLACES}
        value={place}
        onChange={(event) => change({ place: event.target.value as IsolationDefault })}
      />
      {TEXTS.map(({ name, label, hint }) => (
        <TextArea
          key={name}
          isCode
          rows={2}
          label={label}
          hint={hint}
          value={texts[name]}
          onChange={(event) => change({ [name]: event.target.value })}
        />
      ))}
      <div>
        <Button type="submit" isBusy={patch.isPending} reasonDisabled={isSame ? 'Nothing was changed.' : undefined}>
          Save
        </Button>
      </div>
      {patch.error && <ErrorPanel what="Nothing was changed." error={patch.error} />}
    </form>
  );
}
