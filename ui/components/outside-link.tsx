import { outsideAddress } from '../lib/outside-address.js';
import { shownWords } from '../lib/shown-words.js';

/** An address from outside, shown whole; a link only where it leads to http or https, and one that says nothing about where it was followed from. */
export function OutsideLink({ address }: { address: string }) {
  const target = outsideAddress(address);
  if (!target) return <span className="mono">{shownWords(address)}</span>;
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer nofollow" className="mono">
      {target.href}
    </a>
  );
}
