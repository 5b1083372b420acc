import { createContext, useContext, useEffect } from 'react';
import type { EventFrame } from '../../daemon/contract/events.js';

type WatchFrames = (told: (frame: EventFrame) => void) => () => void;

/** The event frames of this tab, for views that show something while it happens. Everything else reads queries. */
export const FramesContext = createContext<WatchFrames>(() => () => undefined);

/** Calls `told` with every frame while mounted. `told` must be referentially stable. */
export function useFrames(notify: (frame: EventFrame) => void): void {
  const watch = useContext(FramesContext);
  useEffect(() => watch(notify), [watch, notify]);
}
