import { createContext, useContext, useEffect } from 'react';
import type { EventFrame } from '../../daemon/contract/events.js';

export type WatchFrames = (told: (frame: EventFrame) => void) => () => void;

/** The tab's event frames, for what is shown while it happens. Everything else reads queries. */
export const FramesContext = createContext<WatchFrames>(() => () => undefined);

/** Calls `told` with every frame while mounted; `told` must keep its identity. */
export function useFrames(told: (frame: EventFrame) => void): void {
  const watch = useContext(FramesContext);
  useEffect(() => watch(told), [watch, told]);
}
