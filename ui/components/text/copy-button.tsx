import { useEffect, useState } from 'react';
import { Button, type ButtonLook } from '../button.js';
import { Icon } from './icon.js';

/** Copies `text` (or what it returns), then shows and announces it. */
export function CopyButton({
  text,
  label = 'Copy',
  look = 'secondary',
}: {
  text: string | (() => string);
  label?: string;
  look?: ButtonLook;
}) {
  const [outcome, setOutcome] = useState<'copied' | 'refused'>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2_500);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  return (
    <>
      <Button look={look} isSmall onClick={() => void copy()}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} />
        {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'Not allowed by the browser' : label}
      </Button>
      <span className="visually-hidden" aria-live="polite">
        {outcome === 'copied' ? 'Copied' : outcome === 'refused' ? 'The browser did not allow copying' : ''}
      </span>
    </>
  );
}
