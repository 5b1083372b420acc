/**
 * Whether shortcuts use ⌘ on this platform. The build also renders the frame, in an environment without `navigator`.
 */
export const isApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform);
