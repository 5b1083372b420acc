import type { Page } from '@playwright/test';
import axe from 'axe-core';

type Axe = typeof axe;

/** What breaks `rules` on the page, or in the elements that are `within`: which rule, where, and why. */
export async function findViolations(page: Page, rules: axe.RunOnly, within?: string): Promise<string[]> {
  // It is long: a document that has it is not given it again.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ([runOnly, selector]) => {
      // The dashboard has no frames: what one document finds is all. Of what holds nothing is put into words.
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
