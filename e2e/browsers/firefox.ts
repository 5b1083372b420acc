import type { BrowserContext } from '@playwright/test';

/** Whether Firefox shows the pages of the context. */
export const isFirefox = (context: BrowserContext) => context.browser()?.browserType().name() === 'firefox';

/**
 * Makes `fill` insert text as typing does. The runner sets the value of the field through React's own property
 * otherwise, and React takes the field as unchanged.
 */
export async function insertAsTyped(context: BrowserContext): Promise<void> {
  await context.addInitScript(() =>
    Object.defineProperty(window, '__pw_bidiInsertText', {
      get: () => (text: string) => {
        document.execCommand('insertText', false, text);
      },
      set: () => undefined,
      configurable: true,
    }),
  );
}
