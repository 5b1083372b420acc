import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef } from 'react';
import { CodeBlock } from '../../components/code-block.js';
import { CopyButton } from '../../components/copy-button.js';
import { Loaded } from '../../components/loaded.js';
import segments from '../../components/segments.module.css';
import { cardQuery } from './exposure-queries.js';
import styles from './front-door.module.css';
import { type Door, SNIPPET_KINDS, type SnippetKind, snippet, tokenVariable } from './snippets.js';

const names: Record<SnippetKind, string> = { curl: 'curl', typescript: 'TypeScript', python: 'Python', card: 'A2A card' };

interface SnippetSwitcherProps {
  door: Door;
  token: string;
  kind: SnippetKind;
  onKind: (kind: SnippetKind) => void;
}

/** How another program asks, in its language. What is shown never holds the token; "Copy with token" does. */
export function SnippetSwitcher({ door, token, kind, onKind }: SnippetSwitcherProps) {
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = SNIPPET_KINDS[(SNIPPET_KINDS.indexOf(kind) + step + SNIPPET_KINDS.length) % SNIPPET_KINDS.length] ?? kind;
    onKind(next);
    tabs.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next}`)}`)?.focus();
  };
  return (
    <div className="stack">
      <div ref={tabs} role="tablist" aria-label="Language" className={segments.segments} onKeyDown={move}>
        {SNIPPET_KINDS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${id}-${one}`}
            aria-selected={one === kind}
            aria-controls={`${id}-panel`}
            tabIndex={one === kind ? 0 : -1}
            className={segments.segment}
            onClick={() => onKind(one)}
          >
            {names[one]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${kind}`} className={styles.door}>
        <CodeBlock
          label={kind === 'card' ? 'The card is public: it says how to get in' : `Token from ${tokenVariable(door.member)}`}
          text={snippet(kind, door)}
          actions={kind !== 'card' && <CopyButton look="quiet" label="Copy with token" text={() => snippet(kind, door, token)} />}
        />
        {kind === 'card' && <Card id={door.member} />}
      </div>
    </div>
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
