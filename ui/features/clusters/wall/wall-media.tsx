import { useEffect, useMemo, useState } from 'react';
import type { Media } from '../../../../daemon/client/wall-messages/wall-payload.js';
import { formatBytes } from '../../../../daemon/lib/text/format-bytes.js';
import { Button } from '../../../components/button.js';
import { OutsideLink } from '../../../components/text/outside-link.js';
import styles from '../wall.module.css';
import { filesIn } from './media-files.js';

/** The files of a message. Nothing is shown before the user requests it, and a file at an address is only a link. */
export function WallMedia({ media, from }: { media: readonly Media[]; from: string }) {
  const files = useMemo(() => filesIn(media), [media]);
  return (
    <ul className={styles.media} aria-label={`Files from ${from}`}>
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change their positions.
        <li key={at}>
          {file.kind === 'elsewhere' && (
            <span className={styles.file}>
              <span className="mono small">{file.mime}</span> <OutsideLink address={file.url} />
            </span>
          )}
          {file.kind === 'unreadable' && <span className="quiet small">{file.mime}: its content cannot be read.</span>}
          {file.kind === 'here' && <FileHere mime={file.mime} bytes={file.bytes} isPicture={file.isPicture} at={at} />}
        </li>
      ))}
    </ul>
  );
}

function FileHere({
  mime,
  bytes,
  isPicture,
  at,
}: {
  mime: string;
  bytes: Uint8Array<ArrayBuffer>;
  isPicture: boolean;
  at: number;
}) {
  const [address, setAddress] = useState<string>();
  const [isBroken, setIsBroken] = useState(false);
  useEffect(() => (address === undefined ? undefined : () => URL.revokeObjectURL(address)), [address]);
  const words = `${mime}, ${formatBytes(bytes.length)}`;
  // Only pictures keep their type: the browser must not open any other untrusted file.
  const open = (type: string) => URL.createObjectURL(new Blob([bytes], { type }));
  const save = () => {
    const file = open('application/octet-stream');
    const link = document.createElement('a');
    link.href = file;
    link.download = `from-the-wall-${at + 1}.bin`;
    link.click();
    URL.revokeObjectURL(file);
  };
  return (
    <div className={styles.file}>
      {isPicture ? (
        <Button
          isSmall
          aria-expanded={address !== undefined}
          onClick={() => setAddress(address === undefined ? open(mime) : undefined)}
        >
          {address === undefined ? 'Show image' : 'Hide image'}
        </Button>
      ) : (
        <Button isSmall onClick={save}>
          Save file
        </Button>
      )}
      <span className="mono small quiet">{words}</span>
      {address !== undefined &&
        (isBroken ? (
          <p className="small">This browser cannot show this image.</p>
        ) : (
          <img src={address} alt={`Attached: ${words}`} className={styles.picture} onError={() => setIsBroken(true)} />
        ))}
    </div>
  );
}
