import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';

type Axe = typeof axe;

/** Less than half the size of `axe.source`, which is sent to the browser once per document. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Waits until no CSS transition is running, and returns the violations of `rules` on the page, or in the elements
 * matching `within`: rule, element and reason.
 */
export async function findViolations(page: Page, rules: axe.RunOnly, within?: string): Promise<string[]> {
  const find = () => page.evaluate(violationsOf, [rules, within] as const);
  const found = await find();
  if (found !== undefined) return found;
  // The script is long, so it is added only once per document.
  await page.evaluate(SOURCE);
  return (await find()) ?? [];
}

/** Runs in the page. Returns undefined when the document does not have the script yet. */
async function violationsOf([runOnly, selector]: readonly [axe.RunOnly, string | undefined]) {
  const { axe: script } = window as unknown as { axe?: Axe };
  if (!script) return undefined;
  while (document.getAnimations().some((one) => one instanceof CSSTransition)) await new Promise(requestAnimationFrame);
  // The dashboard has no frames, so one document is everything. Only violations are described in detail.
  const { violations } = await script.run(selector ? { include: [[selector]] } : document, {
    runOnly,
    resultTypes: ['violations'],
  });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary?.split('\n')[1]?.trim()}`),
  );
}
