import { expect, it } from 'vitest';
import { monitorPolicy, PAGE_POLICY } from './page-policy.js';
import { SITE_CSS } from './site-css.js';

const TAIL =
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types " +
  "'none'";

it('lets a page load its own style sheet only', () => {
  expect(PAGE_POLICY).toBe(`default-src 'none'; style-src 'self'; img-src data:; ${TAIL}`);
});

it('lets the monitor also run its own script and open sockets of this daemon', () => {
  expect(monitorPolicy(7001)).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws://127.0.0.1:7001; " +
      `worker-src 'none'; ${TAIL}`,
  );
});

it('has a style for light and dark in its own colours', () => {
  expect(SITE_CSS).toMatch(/^:root \{\n {2}color-scheme: light dark;\n {2}--canvas: /);
});
