import { randomInt } from 'node:crypto';
import pc from 'picocolors';
import { sanitizeDisplayText } from '../lib/display-text.js';

type Style = (text: string) => string;
export type Styles = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', Style>>;

/** In every sequence of this process until it is written: no text from outside can hold it, so none passes for one of ours. */
const KEY = String(randomInt(2 ** 48 - 1));
const SEQUENCE = new RegExp(`\u001b\\[${KEY};([0-9;]+m)`);
const PROBE = '-';

function styleFrom(format: Style): Style {
  const [open = '', close = ''] = format(PROBE)
    .split(PROBE)
    .map((sequence) => sequence.replace('\u001b[', `\u001b[${KEY};`));
  // What a style within it ends goes on behind it.
  return (text) => (open === '' ? text : open + text.replaceAll(close, close + open) + close);
}

/** Colours and weights for parts of a text that `renderStyled` writes; plain text when `isColourful` is false. */
export function createStyles(isColourful: boolean): Styles {
  const { bold, dim, red, green, yellow } = pc.createColors(isColourful);
  return {
    bold: styleFrom(bold),
    dim: styleFrom(dim),
    red: styleFrom(red),
    green: styleFrom(green),
    yellow: styleFrom(yellow),
  };
}

/** `text` as a terminal gets it: the sequences of `createStyles`, and everything else sanitized. */
export function renderStyled(text: string): string {
  // Odd pieces are what the expression captured.
  return text
    .split(SEQUENCE)
    .map((piece, index) => (index % 2 === 1 ? `\u001b[${piece}` : sanitizeDisplayText(piece)))
    .join('');
}
