import { useCallback, useEffect, useId, useMemo, useState } from 'react';
import { Dialog } from '../components/dialog.js';
import { toDisplayText } from '../lib/display-text.js';
import { useBack } from '../lib/use-back.js';
import styles from './command-palette.module.css';
import { rankCommands } from './command-ranking.js';
import { useAgentCommands } from './commands/agent-commands.js';
import { useBoardCommands } from './commands/board-commands.js';
import type { Command } from './commands/command.js';
import { useOwnCommands } from './commands/own-commands.js';

const SHOWN = 40;

/**
 * The command palette. Finds pages, members, recent requests and actions by any part of their text, agents by name, and
 * offers a search for agents by skill.
 */
export default function CommandPalette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState('');
  useBack(onClose);
  const own = useOwnCommands(onShortcuts);
  const boards = useBoardCommands(text);
  const agents = useAgentCommands(text);
  // The selected command stays selected when more results appear above it. Undefined selects the first result.
  const [chosen, setChosen] = useState<string>();
  const [isEntered, setIsEntered] = useState(false);
  const listId = useId();
  const found = useMemo(() => {
    const offered = text === '' ? own.known.filter(({ group }) => group !== 'Requests') : own.known;
    // Agents are named by others and arrive later than the rest. They must not displace the operator's own results, nor
    // what Enter is about to open.
    return [
      ...rankCommands(offered, text).slice(0, SHOWN),
      ...rankCommands(boards.known, text).slice(0, SHOWN),
      ...rankCommands(agents.known, text),
      ...agents.search,
    ];
  }, [own.known, boards.known, agents.known, agents.search, text]);
  const named = found.length - agents.search.length;
  const at = Math.max(
    0,
    found.findIndex(({ id }) => id === chosen),
  );
  const selected = found[at];
  const isComing = own.isComing || boards.isComing || agents.isComing;
  // The search for agents is not run on Enter while another result may still arrive.
  const mayChange = isComing && chosen === undefined && at >= named;

  useEffect(() => {
    if (selected) document.getElementById(`${listId}-${selected.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [selected, listId]);

  const run = useCallback(
    (command: Command | undefined) => {
      if (!command) return;
      onClose();
      command.run();
    },
    [onClose],
  );
  const isDue = isEntered && !mayChange;
  useEffect(() => {
    if (!isDue) return;
    setIsEntered(false);
    run(selected);
  }, [isDue, selected, run]);
  const walk = (by: number) => setChosen(found[(at + by + found.length) % Math.max(1, found.length)]?.id);
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Page, member, cluster, post, request or action"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={selected ? `${listId}-${selected.id}` : undefined}
        placeholder="Page, member, cluster, post, request or action"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="go"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(undefined);
          setIsEntered(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') walk(1);
          else if (event.key === 'ArrowUp') walk(-1);
          else if (event.key === 'Enter' && !event.nativeEvent.isComposing) setIsEntered(true);
          else return;
          event.preventDefault();
        }}
      />
      <div id={listId} role="listbox" aria-label="Found" className={styles.list}>
        {found.map((command, index) => (
          <div key={command.id}>
            {command.group !== found[index - 1]?.group && (
              <div className={styles.group} aria-hidden="true">
                {command.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys. */}
            <div
              role="option"
              id={`${listId}-${command.id}`}
              aria-selected={command === selected}
              tabIndex={-1}
              className={styles.option}
              onClick={() => run(command)}
              onMouseMove={() => setChosen(command.id)}
            >
              {command.mark}
              <span className={`${styles.name} truncate`}>{toDisplayText(command.name)}</span>
              {command.more && <span className={styles.more}>{command.more}</span>}
            </div>
          </div>
        ))}
      </div>
      <p role="status" className={named === 0 ? 'quiet' : 'visually-hidden'}>
        {named > 0 ? `${named} found` : isComing ? `Looking for “${text}”.` : `No match for “${text}”.`}
      </p>
    </Dialog>
  );
}
