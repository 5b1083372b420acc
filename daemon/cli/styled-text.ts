import { randomInt } from 'node:crypto';
import pc from 'picocolors';
import { sanitizeDisplayText } from '../lib/text/display-text.js';

type Style = (text: string) => string;
export type Styles = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', Style>>;

/**
 * A random key in every escape sequence of this process until it is written. Text from outside cannot contain it, so it
 * cannot imitate a style.
 */
const KEY = String(randomInt(2 ** 48 - 1));
const SEQUENCE = new RegExp(`\u001b\\[${KEY};([0-9;]+m)`);
const PROBE = '-';

function styleFrom(format: Style): Style {
  const [open = '', close = ''] = format(PROBE)
    .split(PROBE)
    .map((sequence) => sequence.replace('\u001b[', `\u001b[${KEY};`));
  // Where an inner style ends, the outer one is resumed.
  return (text) => (open === '' ? text : open + text.replaceAll(close, close + open) + close);
}

/** Styles for parts of a text that `renderStyled` writes; plain text when `isColourful` is false. */
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

/**
 * Renders `text` for a stream: the sequences of `createStyles` become escape sequences, or nothing with `isPlain`, and
 * everything else is sanitized.
 */
export function renderStyled(text: string, isPlain = false): string {
  // The odd elements are the captured groups.
  return text
    .split(SEQUENCE)
    .map((piece, index) => (index % 2 === 0 ? sanitizeDisplayText(piece) : isPlain ? '' : `\u001b[${piece}`))
    .join('');
}
