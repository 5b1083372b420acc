import { type KeyboardEvent, useId, useState } from 'react';
import { worksList } from '../list/list-key.js';
import type { OptionListProps } from './option-list.js';
import styles from './option-list.module.css';
import { commandsFor, isSlashWord, type SlashCommand } from './slash.js';

const NONE: readonly SlashCommand[] = [];

/**
 * Completes commands after a `/` at the start of a text. Taking a command runs it, or completes it when it needs an
 * argument; Tab only completes. Each key must be passed to `keys` first, which reports whether the list handled it.
 */
export function useSlashList(text: string, isIn: boolean, set: (text: string) => void, run: (text: string) => void) {
  const id = useId();
  const [pointed, setPointed] = useState({ text: '', at: 0 });
  const [isClosed, setIsClosed] = useState(false);
  // The list stays closed while the same name is being typed.
  if (isClosed && !isSlashWord(text)) setIsClosed(false);
  const commands = isIn && !isClosed ? commandsFor(text) : NONE;
  const chosen = pointed.text === text ? pointed.at : 0;
  const point = (at: number) => setPointed({ text, at });

  const complete = ({ name, words }: SlashCommand) => set(words ? `${name} ` : name);
  const take = (command: SlashCommand) => (command.needsWords ? complete(command) : run(command.name));
  const list: OptionListProps = {
    id,
    label: 'Commands',
    options: commands.map((command) => ({ key: command.name, shown: <SlashOption command={command} /> })),
    chosen,
    status:
      `${commands.length} ${commands.length === 1 ? 'command' : 'commands'}, Enter runs, Tab completes, ` +
      'Escape closes',
    take: (at) => {
      const command = commands[at];
      if (command) take(command);
    },
    point,
  };
  const keys = (event: KeyboardEvent) =>
    worksList(event, list, {
      close: () => setIsClosed(true),
      complete: () => {
        const command = commands[chosen];
        if (command) complete(command);
      },
    });
  return { list, keys, open: () => setIsClosed(false) };
}

export function SlashOption({ command: { name, words, help } }: { command: SlashCommand }) {
  return (
    <>
      {name}
      {words && ` ${words}`} <span className={styles.help}>{help}</span>
    </>
  );
}
