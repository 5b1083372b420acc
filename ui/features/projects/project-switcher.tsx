import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Flag } from '../../components/text/flag.js';
import { formatClockTime } from '../../lib/format/clock-format.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useClosing } from '../../lib/use-closing.js';
import styles from './project-switcher.module.css';
import { getDashboardUrl, projectsQuery } from './projects-queries.js';
import type { SeenProject } from './seen-projects.js';

/** Opens the menu with the focus on its first link, and closes it with the focus back on the button. */
function useMenu(onOpen: () => void) {
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLElement>(null);
  useClosing(place, isOpen, setIsOpen);
  useEffect(() => {
    if (isOpen) menu.current?.querySelector<HTMLElement>('a[href]')?.focus();
  }, [isOpen]);

  const toggle = () => {
    if (isOpen) place.current?.querySelector('button')?.focus();
    else onOpen();
    setIsOpen(!isOpen);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' && !isOpen) toggle();
    else if (isOpen && event.key in STEPS) move(menu.current, event.key as keyof typeof STEPS);
    else return;
    event.preventDefault();
  };
  return { isOpen, place, menu, toggle, onKeyDown };
}

/**
 * The name of this project and a menu of the user's other projects. A single project has no menu. With `isNamed`, the
 * rail already shows the name where there is space.
 */
export default function ProjectSwitcher({ isNamed }: { isNamed: boolean }) {
  const { data: projects = [], refetch } = useQuery(projectsQuery());
  const { isOpen, place, menu, toggle, onKeyDown } = useMenu(() => void refetch());
  const menuId = useId();
  const own = projects.find(({ current }) => current);

  if (!own) return null;
  const name = toDisplayText(own.name);
  const frame = isNamed ? `${styles.switcher} ${styles.isNamed}` : styles.switcher;
  if (projects.length === 1) {
    return (
      <div className={frame} data-alone>
        <span className={`${styles.name} truncate`}>{name}</span>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the button and the links inside.
    <div ref={place} className={frame} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={styles.toggle}
        aria-expanded={isOpen}
        aria-controls={menuId}
        aria-label={`${name}, one of ${projects.length} projects`}
        onClick={toggle}
      >
        <span className={`${styles.own} truncate`}>{name}</span>
        <span className={styles.count}>{projects.length} projects</span>
        <Arrow isUp={isOpen} />
      </button>
      {isOpen && (
        <nav ref={menu} id={menuId} className={styles.menu} aria-label="Projects">
          <ul>
            {projects.map((project) => (
              <li key={project.root}>
                <Project project={project} />
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}

function Arrow({ isUp }: { isUp: boolean }) {
  return (
    <svg
      width="10"
      height="10"
      viewBox="0 0 10 10"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
      focusable="false"
    >
      <path d={isUp ? 'm1.500 6.500 3.500-3.500 3.500 3.500' : 'm1.500 3.500 3.500 3.500 3.500-3.500'} />
    </svg>
  );
}

function Project({ project }: { project: SeenProject }) {
  const { name, root, current, seenAt, address } = project;
  const words = (
    <>
      <Flag id={name} size={24} isRaised={seenAt === undefined} />
      <span className="truncate">
        <strong className="truncate">{toDisplayText(name)}</strong>
        <span className={`${styles.root} small quiet truncate`}>
          <bdi>{toDisplayText(root)}</bdi>
        </span>
      </span>
      <span className="small quiet">
        {current
          ? 'this one'
          : seenAt === undefined
            ? `port ${new URL(address).port}`
            : `stopped, seen ${formatClockTime(seenAt)}`}
      </span>
    </>
  );
  // The same element for both states, so that a project that stops while its link has the focus keeps it.
  const isGone = seenAt !== undefined;
  const link = isGone ? { role: 'link', tabIndex: 0, 'aria-disabled': true } : { href: getDashboardUrl(project) };
  return (
    <a
      {...link}
      className={isGone ? `${styles.row} ${styles.gone}` : styles.row}
      aria-current={current ? 'true' : undefined}
    >
      {words}
    </a>
  );
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: 0, End: 0 } as const;

/** Moves the focus to another link of the menu: the next or previous one, wrapping around, or the first or last. */
function move(menu: HTMLElement | null, key: keyof typeof STEPS): void {
  const links = [...(menu?.querySelectorAll('a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next =
    key === 'Home'
      ? 0
      : key === 'End'
        ? links.length - 1
        : (at + STEPS[key] + links.length) % Math.max(1, links.length);
  links[next]?.focus();
}
