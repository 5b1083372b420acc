import { expect, it } from 'vitest';
import { toPlainPreview } from './plain-preview.js';

it.each([
  ['Probably here: `README.md:3-7`.\n\n[1] `src/a.ts`', 'Probably here: README.md:3-7. [1] src/a.ts'],
  ['# Lamp\n\n- one\n- **two**\n1. three', 'Lamp one two three'],
  ['It **shines**, ~~dimly~~ __brightly__.', 'It shines, dimly brightly.'],
  ['See [the page](https://example.org) and ![a lamp](lamp.png)', 'See the page and a lamp'],
  ['```ts\nconst a = 1;\n```', 'const a = 1;'],
  ['> quoted\n~~~\n2 * 3 ** 4', 'quoted 2 * 3 ** 4'],
  ['2 ** 3, **b ** c', '2 ** 3, **b ** c'],
  ['snake_case and a*b and `unclosed', 'snake_case and a*b and `unclosed'],
])('shows %j without signs', (text, shown) => {
  expect(toPlainPreview(text)).toBe(shown);
});
