import type { Page } from '@playwright/test';

/** Every method with which a script acts on a page in place of a user. */
const ACTS = {
  locator: [
    ...[
      'blur',
      'check',
      'clear',
      'click',
      'dblclick',
      'dispatchEvent',
      'dragTo',
      'fill',
      'focus',
      'hover',
      'press',
      'pressSequentially',
    ],
    ...[
      'scrollIntoViewIfNeeded',
      'selectOption',
      'selectText',
      'setChecked',
      'setInputFiles',
      'tap',
      'type',
      'uncheck',
    ],
  ],
  page: [
    ...[
      'check',
      'click',
      'dblclick',
      'dispatchEvent',
      'dragAndDrop',
      'fill',
      'focus',
      'hover',
      'press',
      'selectOption',
      'setChecked',
    ],
    ...['setInputFiles', 'tap', 'type', 'uncheck'],
  ],
  mouse: ['click', 'dblclick', 'down', 'move', 'up', 'wheel'],
  keyboard: ['down', 'insertText', 'press', 'type', 'up'],
  touchscreen: ['tap'],
} as const;

type Kind = keyof typeof ACTS;

/**
 * Makes every method throw that is not in `allowed` (`keyboard.press`, `locator.tap`). Returns a function that undoes
 * this.
 */
export function onlyBy(page: Page, allowed: readonly string[]): () => void {
  const held: Record<Kind, object> = {
    locator: page.locator('html'),
    page,
    mouse: page.mouse,
    keyboard: page.keyboard,
    touchscreen: page.touchscreen,
  };
  const undo = (Object.keys(ACTS) as Kind[]).flatMap((kind) =>
    ACTS[kind].flatMap((name) => {
      if (allowed.includes(`${kind}.${name}`)) return [];
      const prototype = Object.getPrototypeOf(held[kind]) as Record<string, unknown>;
      const was = prototype[name];
      if (typeof was !== 'function') throw new Error(`Playwright has no ${kind}.${name}.`);
      prototype[name] = () => {
        throw new Error(`${kind}.${name} is not of this journey: it allows ${allowed.join(', ')}.`);
      };
      return [
        () => {
          prototype[name] = was;
        },
      ];
    }),
  );
  return () => {
    for (const one of undo) one();
  };
}
