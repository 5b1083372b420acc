const WITHIN_MS = 10_000;

/**
 * Whether the daemon answers. Asked before a WebSocket: Firefox delays those to an address that refused some by up to a
 * minute, also after a reload, and requests never.
 */
export const daemonAnswers = (): Promise<boolean> =>
  fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
