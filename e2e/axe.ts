import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type axe from 'axe-core';

type Axe = typeof axe;

/** Less than half the size of `axe.source`, which is sent to the browser once per document. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the violations of `rules` on the page, or in the elements matching `within`: rule, element and reason. */
export async function findViolations(page: Page, rules: axe.RunOnly, within?: string): Promise<string[]> {
  // The script is long, so it is added only once per document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  return page.evaluate(
    async ([runOnly, selector]) => {
      // The dashboard has no frames, so one document is everything. Only violations are described in detail.
      const { violations } = await (window as unknown as { axe: Axe }).axe.run(
        selector ? { include: [[selector]] } : document,
        {
          runOnly,
          resultTypes: ['violations'],
        },
      );
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary?.split('\n')[1]?.trim()}`,
        ),
      );
    },
    [rules, within] as const,
  );
}
