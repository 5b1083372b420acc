import { toDisplayText } from '../../lib/format/display-text.js';
import { outsideAddress } from '../../lib/outside-address.js';

/** An untrusted address, shown in full. It is a link only for http and https, without referrer. */
export function OutsideLink({ address }: { address: string }) {
  const target = outsideAddress(address);
  if (!target) return <span className="mono">{toDisplayText(address)}</span>;
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer nofollow" className="mono">
      {target.href}
    </a>
  );
}
