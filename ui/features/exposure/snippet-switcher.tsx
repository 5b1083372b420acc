import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef } from 'react';
import { Loaded } from '../../components/loaded.js';
import segments from '../../components/segments.module.css';
import { CodeBlock } from '../../components/text/code-block.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { useShell } from '../projects/use-shell.js';
import styles from './api-access.module.css';
import { cardQuery } from './exposure-queries.js';
import { snippetBlocks } from './snippet-blocks.js';
import { KIND_NAMES, SNIPPET_FAMILIES, type SnippetFamily, type SnippetKind } from './snippet-kinds.js';
import type { AskTarget } from './snippets.js';

interface SnippetSwitcherProps {
  target: AskTarget;
  token: string;
  kind: SnippetKind;
  onKind: (kind: SnippetKind) => void;
}

const indexOf = (kind: SnippetKind) => SNIPPET_FAMILIES.findIndex(({ kinds }) => kinds.includes(kind));

/**
 * How another program calls the member, by language or protocol. The displayed text never contains the token; "Copy
 * with token" copies it.
 */
export function SnippetSwitcher({ target, token, kind, onKind }: SnippetSwitcherProps) {
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const shell = useShell();
  const at = indexOf(kind);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (at + step + SNIPPET_FAMILIES.length) % SNIPPET_FAMILIES.length;
    onKind(SNIPPET_FAMILIES[next]?.kinds[0] ?? kind);
    tabs.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  const family = SNIPPET_FAMILIES[at];
  return (
    <div className="stack">
      <div ref={tabs} role="tablist" aria-label="Language" className={segments.segments} onKeyDown={move}>
        {SNIPPET_FAMILIES.map(({ name, kinds }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            className={segments.segment}
            onClick={() => onKind(kinds[0])}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${at}`} className={styles.panel}>
        {family && family.kinds.length > 1 && <Kinds family={family} kind={kind} onKind={onKind} />}
        {snippetBlocks(kind, { ...target, ...shell }, token).map(({ label, text, withToken }) => (
          <CodeBlock
            key={label}
            label={label}
            text={text}
            actions={withToken !== undefined && <CopyButton look="quiet" label="Copy with token" text={withToken} />}
          />
        ))}
        {kind === 'card' && <Card id={target.member} />}
      </div>
    </div>
  );
}

/** The choice of the tool within a family. */
function Kinds({
  family,
  kind,
  onKind,
}: {
  family: SnippetFamily;
  kind: SnippetKind;
  onKind: (kind: SnippetKind) => void;
}) {
  return (
    <fieldset className={styles.kinds}>
      <legend className="visually-hidden">{family.name} for</legend>
      {family.kinds.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === kind}
          className={segments.segment}
          onClick={() => onKind(one)}
        >
          {KIND_NAMES[one]}
        </button>
      ))}
    </fieldset>
  );
}

function Card({ id }: { id: string }) {
  const card = useQuery(cardQuery(id));
  return (
    <Loaded query={card} what="The card could not be read.">
      {(data) => <CodeBlock label="agent.json as it is served now" text={JSON.stringify(data, null, 2)} />}
    </Loaded>
  );
}
