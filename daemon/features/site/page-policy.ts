const TAIL =
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
  "trusted-types 'none'";

/**
 * Content security policy of the public pages: only the site's own style sheet, no scripts, and no external resources.
 */
export const PAGE_POLICY = `default-src 'none'; style-src 'self'; img-src data:; ${TAIL}`;

/** Content security policy of the monitor page: additionally the site's own script and the sockets of this daemon. */
export function monitorPolicy(port: number): string {
  const sockets = `'self' ws://127.0.0.1:${port}`;
  return (
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${sockets}; worker-src ` +
    `'none'; ${TAIL}`
  );
}
