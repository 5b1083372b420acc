import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLookChanges } from '../../lib/use-look-changes.js';
import { Button } from '../button.js';
import styles from './diagram.module.css';
import { isCostlyDiagram } from './diagram-source.js';

/** A text that is still arriving is drawn once it rests for this long. */
const REST_MS = 250;
const KINDS = 'Only flowcharts and state, sequence, class and entity diagrams are drawn.';

interface Drawing {
  url: string;
  width: number;
  height: number;
}

/**
 * Draws a Mermaid text. The styles of the drawing are inline, which the page's Content-Security-Policy forbids, so it
 * is an image: it runs no script and loads nothing.
 */
async function draw(source: string, host: Element): Promise<Drawing> {
  const { renderMermaid } = await import('beautiful-mermaid');
  const { color: fg, backgroundColor: bg } = getComputedStyle(host);
  const ink = { line: fg, accent: fg, muted: fg, border: fg };
  const drawn = await renderMermaid(source, { bg, fg, ...ink, padding: 12 });
  // An image loads no font, neither the page's nor one from the web.
  const svg = drawn
    .replace(/@import url\('[^']*'\);/g, '')
    .replace(/text \{ font-family: [^;]{0,200};/, 'text { font-family: sans-serif;');
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  await image.decode();
  return { url: image.src, width: image.naturalWidth, height: image.naturalHeight };
}

/** Returns the drawing of a text, undefined until it is drawn, or the reason why it is not. */
function useDrawing(source: string) {
  const host = useRef<HTMLElement>(null);
  const [drawing, setDrawing] = useState<Drawing>();
  const [reason, setReason] = useState<string>();
  const look = useLookChanges();
  const isCostly = isCostlyDiagram(source);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing has the colours of the theme.
  useEffect(() => {
    setReason(undefined);
    if (isCostly) return setDrawing(undefined);
    let isCurrent = true;
    const timer = setTimeout(() => {
      const drawn = host.current ? draw(source, host.current) : Promise.reject();
      drawn.then(
        (made) => (isCurrent ? setDrawing(made) : URL.revokeObjectURL(made.url)),
        () => {
          if (!isCurrent) return;
          setDrawing(undefined);
          setReason(`Not drawn. ${KINDS}`);
        },
      );
    }, REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [source, look, isCostly]);
  useEffect(() => () => drawing && URL.revokeObjectURL(drawing.url), [drawing]);
  return { host, drawing, reason: isCostly ? 'Not drawn: it is too large.' : reason };
}

/** A Mermaid diagram of an untrusted text, with its source, which is shown until it is drawn and when it cannot be. */
export function Diagram({ source, children }: { source: string; children: ReactNode }) {
  const { host, drawing, reason } = useDrawing(source);
  const [isSource, setSource] = useState(false);
  return (
    <figure ref={host} className={styles.diagram}>
      {drawing && !isSource ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        <div className={styles.scroll} tabIndex={0}>
          <img
            src={drawing.url}
            width={drawing.width}
            height={drawing.height}
            alt="Diagram: its source says the same in text"
          />
        </div>
      ) : (
        children
      )}
      {drawing && (
        <Button isSmall look="quiet" aria-pressed={isSource} onClick={() => setSource(!isSource)}>
          Show the source
        </Button>
      )}
      {reason && <figcaption className="small quiet">{reason}</figcaption>}
    </figure>
  );
}
