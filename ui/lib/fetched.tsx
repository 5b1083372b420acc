import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component whose code is fetched when it is first drawn, or with `begin` before that; `meanwhile` stands in its place. It is drawn as soon as it
 * is there, where Suspense would hold it back by up to 300 ms after its fallback. When it cannot be fetched, `lost` stands in its place;
 * without a `lost` it throws, and is fetched anew when drawn again.
 */
export function fetched<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
  meanwhile: ReactNode = null,
  lost?: ReactNode,
): ComponentType<P> & { begin: () => void } {
  let known: ComponentType<P> | undefined;
  const find = async () => {
    known = (await load()).default;
    return known;
  };
  function Fetched(props: P) {
    const [found, setFound] = useState<{ Part?: ComponentType<P>; error?: unknown }>({});
    const Part = known ?? found.Part;
    const isKnown = Part !== undefined;
    useEffect(() => {
      if (isKnown) return;
      let isGone = false;
      find().then(
        (part) => {
          if (!isGone) setFound({ Part: part });
        },
        (error: unknown) => {
          if (!isGone) setFound({ error });
        },
      );
      return () => {
        isGone = true;
      };
    }, [isKnown]);
    if (found.error !== undefined) {
      if (lost === undefined) throw found.error;
      return lost;
    }
    return Part ? <Part {...props} /> : meanwhile;
  }
  // What fails here is told when it is drawn.
  return Object.assign(Fetched, { begin: () => void find().catch(() => undefined) });
}
