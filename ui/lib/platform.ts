/** Whether commands are given with ⌘ here. The build draws the frame too, where there is no browser. */
export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform);
