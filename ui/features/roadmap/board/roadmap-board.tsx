import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { RoadmapTask } from '../../../../daemon/contract/work/roadmap.js';
import { BoardCard } from './board-card.js';
import { COLUMNS, findNeighbour, findNextState, isWritable, type WritableState } from './board-columns.js';
import './board-styles.js';

export interface RoadmapBoardProps {
  tasks: readonly RoadmapTask[];
  /** Id of the task that is being changed. */
  busy: string | undefined;
  onState: (id: string, state: WritableState) => void;
  onEdit: (id: string) => void;
}

/**
 * The tasks in a column for each state, in the order of the file. A card is moved by dragging it, by its choice of
 * states, or with Shift and an arrow key.
 */
export default function RoadmapBoard({ tasks, busy, onState, onEdit }: RoadmapBoardProps) {
  const { board, said, move, pressed } = useMoves(tasks, onState);
  const [dragged, setDragged] = useState<string>();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the cards inside.
    <div ref={board} className="board" onKeyDown={pressed}>
      {COLUMNS.map(({ state, name }) => {
        const cards = tasks.filter((task) => task.state === state);
        return (
          <Column
            key={state}
            name={name}
            count={cards.length}
            onDrop={dragged !== undefined && isWritable(state) ? () => move(dragged, state) : undefined}
          >
            {cards.map((task) => (
              <BoardCard
                key={task.id}
                task={task}
                isBusy={busy === task.id}
                onState={(next) => move(task.id, next)}
                onEdit={() => onEdit(task.id)}
                onDrag={setDragged}
              />
            ))}
          </Column>
        );
      })}
      <p className="visually-hidden" role="status">
        {said}
      </p>
    </div>
  );
}

/** Moves of cards, after which the moved card has the focus, and the keys for them. */
function useMoves(tasks: readonly RoadmapTask[], onState: RoadmapBoardProps['onState']) {
  const board = useRef<HTMLDivElement>(null);
  const moved = useRef<{ id: string; state: WritableState }>(undefined);
  const [said, setSaid] = useState('');
  const focus = (id: string) =>
    board.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"] [data-row]`)?.focus();
  const move = (id: string, state: WritableState) => {
    if (tasks.find((task) => task.id === id)?.state === state) return;
    moved.current = { id, state };
    onState(id, state);
  };
  useEffect(() => {
    const { id, state } = moved.current ?? {};
    if (id === undefined || tasks.find((task) => task.id === id)?.state !== state) return;
    moved.current = undefined;
    board.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"] [data-row]`)?.focus();
    setSaid(`${id} is ${state} now.`);
  }, [tasks]);
  const pressed = (event: KeyboardEvent) => {
    const { key, shiftKey, target } = event;
    const id = (target as HTMLElement).closest<HTMLElement>('[data-task]')?.dataset['task'];
    const task = tasks.find((one) => one.id === id);
    const isCard = (target as HTMLElement).hasAttribute('data-row');
    if (!task || !isCard || !key.startsWith('Arrow') || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    if (!shiftKey) {
      const next = findNeighbour(tasks, task.id, key);
      if (next !== undefined) focus(next);
    } else if (key === 'ArrowRight' || key === 'ArrowLeft') {
      const state = findNextState(task.state, key === 'ArrowRight' ? 1 : -1);
      if (state) move(task.id, state);
    }
  };
  return { board, said, move, pressed };
}

interface ColumnProps {
  name: string;
  count: number;
  /** Takes the dragged card; undefined when it cannot be dropped here. */
  onDrop: (() => void) | undefined;
  children: React.ReactNode;
}

function Column({ name, count, onDrop, children }: ColumnProps) {
  const [isTarget, setIsTarget] = useState(false);
  const over = (event: DragEvent) => {
    if (!onDrop) return;
    event.preventDefault();
    setIsTarget(true);
  };
  const left = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!currentTarget.contains(relatedTarget as Node | null)) setIsTarget(false);
  };
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    setIsTarget(false);
    onDrop?.();
  };
  return (
    <section
      className="boardColumn"
      aria-label={name}
      data-target={isTarget && onDrop ? '' : undefined}
      onDragOver={over}
      onDragLeave={left}
      onDrop={dropped}
    >
      <h3>
        {name} <span className="mono small quiet">{count}</span>
      </h3>
      <ol aria-label={`${name} tasks`}>{children}</ol>
    </section>
  );
}
