const TAIL =
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Of the public pages: one style sheet of our own, no script, nothing from anywhere else. */
export const PAGE_POLICY = `default-src 'none'; style-src 'self'; img-src data:; ${TAIL}`;

/** Of the one page that shows something live: a script of our own, and the sockets of this daemon. */
export function monitorPolicy(port: number): string {
  const sockets = `'self' ws://127.0.0.1:${port}`;
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src ${sockets}; worker-src 'none'; ${TAIL}`;
}
