import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * Returns a component whose code is loaded when it is first rendered, or earlier with `begin`; `meanwhile` is rendered
 * until then. It renders as soon as the code is loaded, where Suspense may hold it back for up to 300 ms after its
 * fallback. When loading fails, `lost` is rendered. Without `lost` the component throws, and loads again on the next
 * mount.
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
  // A failed load is ignored here and reported when the component is rendered.
  return Object.assign(Fetched, { begin: () => void find().catch(() => undefined) });
}
