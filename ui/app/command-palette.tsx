import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.js';
import { toDisplayText } from '../lib/format/display-text.js';
import { isComposing } from '../lib/keys/is-composing.js';
import { useBack } from '../lib/use-back.js';
import { endTypingAhead, getTypedAhead } from './comforts/typed-ahead.js';
import styles from './command-palette.module.css';
import { useAgentCommands } from './commands/agent-commands.js';
import { useAskCommand } from './commands/ask-command.js';
import { useBoardCommands } from './commands/board-commands.js';
import { useColleagueCommands } from './commands/colleague-commands.js';
import type { Command } from './commands/command.js';
import { rankCommands } from './commands/command-ranking.js';
import { useOwnCommands } from './commands/own-commands.js';
import { useProjectCommands } from './commands/project-commands.js';

const SHOWN = 60;

/**
 * The command palette. Finds pages, files, symbols, members, conversations, requests, clusters, settings and actions by
 * any part of their text, agents by name, and asks what ends with a question mark or matches nothing.
 */
export default function CommandPalette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [text, setText] = useState('');
  useBack(onClose);
  const { found, named, isComing } = useFound(text, onShortcuts);
  const { at, selected, isChosen, choose, walk } = useSelection(found);
  const listId = useId();
  // The search for agents is not run on Enter while another result may still arrive.
  const mayChange = isComing && !isChosen && at >= named;

  useScrolledTo(selected && `${listId}-${selected.id}`, isChosen);

  const run = useCallback(
    (command: Command | undefined) => {
      if (!command) return;
      onClose();
      command.run();
    },
    [onClose],
  );
  const setIsEntered = useEnter(!mayChange, selected, run);
  useTypedAhead(setText, setIsEntered);
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Question, page, file, symbol, member or action"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={selected ? `${listId}-${selected.id}` : undefined}
        placeholder="Question, page, file, symbol, member or action"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="go"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          choose(undefined);
          setIsEntered(false);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') walk(1);
          else if (event.key === 'ArrowUp') walk(-1);
          else if (event.key === 'Enter' && !isComposing(event.nativeEvent)) setIsEntered(true);
          else return;
          event.preventDefault();
        }}
      />
      <FoundList id={listId} found={found} selected={selected} onChoose={choose} onRun={run} />
      <p role="status" className={named === 0 ? 'quiet' : 'visually-hidden'}>
        {named > 0 ? `${named} found` : isComing ? `Looking for “${text}”.` : `No match for “${text}”.`}
      </p>
    </Dialog>
  );
}

/**
 * Takes over what was typed before the palette was there, before the browser handles another key: the field has the
 * focus by then, and what is kept later would be lost.
 */
function useTypedAhead(setText: (text: string) => void, setIsEntered: (isEntered: boolean) => void): void {
  useLayoutEffect(() => {
    const ahead = getTypedAhead();
    endTypingAhead();
    if (ahead.text !== '') setText(ahead.text);
    if (ahead.isEntered) setIsEntered(true);
  }, [setText, setIsEntered]);
}

/**
 * Returns the commands that match, how many of them lead somewhere without a further search, and whether more are still
 * loading.
 */
function useFound(text: string, onShortcuts: () => void) {
  const own = useOwnCommands(onShortcuts);
  const project = useProjectCommands(text);
  const ask = useAskCommand(text);
  const boards = useBoardCommands(text);
  const agents = useAgentCommands(text);
  const colleagues = useColleagueCommands(text);
  const isQuestion = text.trim().endsWith('?');
  const found = useMemo(() => {
    // Agents are named by others and arrive later than the rest. They must not displace the operator's own results, nor
    // what Enter is about to open.
    const named = [
      ...rankCommands([...own.known, ...project.known], text).slice(0, SHOWN),
      ...rankCommands(boards.known, text).slice(0, SHOWN),
      ...rankCommands(colleagues.known, text).slice(0, SHOWN),
      ...rankCommands(agents.known, text),
    ];
    // For a question, asking it is the first option. For other text, it follows the matching commands.
    return isQuestion && ask
      ? { found: [ask, ...named, ...agents.search], named: named.length + 1 }
      : { found: [...named, ...(ask ? [ask] : []), ...agents.search], named: named.length };
  }, [own.known, project.known, boards.known, colleagues.known, agents.known, agents.search, ask, isQuestion, text]);
  const isComing = own.isComing || project.isComing || boards.isComing || colleagues.isComing || agents.isComing;
  // Enter does not wait for further results to ask a question.
  return { ...found, isComing: isComing && !isQuestion };
}

function useSelection(found: readonly Command[]) {
  // The selected command stays selected when more results appear above it. Undefined selects the first result.
  const [chosen, choose] = useState<string>();
  const at = Math.max(
    0,
    found.findIndex(({ id }) => id === chosen),
  );
  const walk = (by: number) => choose(found[(at + by + found.length) % Math.max(1, found.length)]?.id);
  return { at, selected: found[at], isChosen: chosen !== undefined, choose, walk };
}

/**
 * Keeps a chosen option in view, and the first one after it. Results that arrive while one types move nothing:
 * scrolling computes the layout of the page at once.
 */
function useScrolledTo(id: string | undefined, isChosen: boolean) {
  const wasChosen = useRef(false);
  useEffect(() => {
    if (id !== undefined && (isChosen || wasChosen.current))
      document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
    wasChosen.current = isChosen;
  }, [id, isChosen]);
}

/**
 * Runs the selected command once Enter was pressed, possibly before the palette was there, and the selection is final.
 * Returns what sets the former.
 */
function useEnter(isFinal: boolean, selected: Command | undefined, run: (command: Command | undefined) => void) {
  const [isEntered, setIsEntered] = useState(false);
  const isDue = isEntered && isFinal;
  useEffect(() => {
    if (!isDue) return;
    setIsEntered(false);
    run(selected);
  }, [isDue, selected, run]);
  return setIsEntered;
}

interface FoundListProps {
  id: string;
  found: readonly Command[];
  selected: Command | undefined;
  onChoose: (id: string) => void;
  onRun: (command: Command) => void;
}

function FoundList({ id: listId, found, selected, onChoose, onRun }: FoundListProps) {
  return (
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
            onClick={() => onRun(command)}
            onMouseMove={() => onChoose(command.id)}
          >
            {command.mark}
            <span className={`${styles.name} truncate`}>{toDisplayText(command.name)}</span>
            {command.more && <span className={styles.more}>{toDisplayText(command.more)}</span>}
          </div>
        </div>
      ))}
    </div>
  );
}
