import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './roadmap.module.css';
import { checkCommandsQuery, useRemoveCheck, useSetCheck } from './roadmap-queries.js';

/** The commands that a task's check may name, and a form that sets one. They stay on this machine. */
export function CheckCommandsSection() {
  const { data, error } = useQuery(checkCommandsQuery());
  const remove = useRemoveCheck();
  return (
    <Section title="Check commands" {...(data ? { count: data.count } : {})}>
      <p className={`small quiet ${styles.intro}`}>
        A task with <code>check: command name</code> is done when the command of that name succeeds in the project
        folder. Commands are kept on this machine; the file only names them.
      </p>
      {error && <ErrorPanel what="The commands could not be read." error={error} />}
      {remove.error && <ErrorPanel what="The command was not removed." error={remove.error} />}
      {data && data.count > 0 && (
        <ul className={rows.rows} aria-label="Check commands">
          {data.commands.map(({ name, command }) => (
            <li key={name} className={styles.check}>
              <strong>{name}</strong>
              <code>{toDisplayText(command)}</code>
              <Button isSmall look="quiet" isBusy={remove.isPending} onClick={() => remove.mutate(name)}>
                Remove<span className="visually-hidden"> {name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <CheckForm />
    </Section>
  );
}

function CheckForm() {
  const set = useSetCheck();
  const [name, setName] = useState('');
  const [command, setCommand] = useState('');
  const [isTried, setIsTried] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (name.trim() === '' || command.trim() === '') return;
    const clear = () => {
      setName('');
      setCommand('');
      setIsTried(false);
    };
    set.mutate({ name: name.trim(), command: command.trim() }, { onSuccess: clear });
  };
  return (
    <form className={styles.checkForm} onSubmit={submit}>
      <TextField
        label="Name"
        maxLength={32}
        value={name}
        error={isTried && name.trim() === '' ? 'Give the check a name.' : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Command"
        maxLength={2_000}
        value={command}
        error={isTried && command.trim() === '' ? 'Give the command that the check runs.' : undefined}
        onChange={(event) => setCommand(event.target.value)}
      />
      <Button isBusy={set.isPending} type="submit">
        Set command
      </Button>
      {set.error && <ErrorPanel what="The command was not set." error={set.error} />}
    </form>
  );
}
