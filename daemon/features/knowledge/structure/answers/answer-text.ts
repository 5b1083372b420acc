import { type Definition, type Places, splitName } from '../places.js';

export const LINE_MAX = 160;

/** One line of an answer: a place and what is said of it. */
interface Item {
  path: string;
  startLine: number;
  endLine: number;
  /** Said before the code of the line; may be empty. */
  label: string;
  role: number;
}

export interface AnswerParts {
  lead: string;
  notes?: readonly string[];
  total: number;
  items: readonly Item[];
}

export const at = (one: { path: string; startLine: number }) => `\`${one.path}:${one.startLine}\``;
export const formatTitle = (one: Definition) => (one.container === '' ? one.name : `${one.container}.${one.name}`);
/** The name as it was asked for, in the letters in which it is defined. */
export const shown = (name: string, first: Definition) =>
  splitName(name).length > 1 || !/^[?!]?$/.test(first.name.toLowerCase().replace(name.toLowerCase(), ''))
    ? name.replace(/\(\)$/, '')
    : first.name;
export const definitionItem = (one: Definition): Item => ({ ...one, label: `${one.kind} ${code(formatTitle(one))}` });
export const byName = (found: Places) => (found.byName ? ['Some of these are found by name, not by type.'] : []);
export const distinct = (all: Places) => new Set(all.places.map(({ text }) => text)).size;

export const names = (all: Places, most?: number) =>
  formatNames([...new Set(all.places.map(({ text }) => text))], most);

/** Lists up to `most` different names. */
export function formatNames(unique: readonly string[], most = 12): string {
  return `${unique
    .slice(0, most)
    .map((one) => code(one))
    .join(', ')}${unique.length > most ? `, and ${unique.length - most} more` : ''}`;
}

export function count(number: number, noun: string, plural = 's'): string {
  return `${number} ${noun}${number === 1 ? '' : noun === 'class' ? plural : 's'}`;
}

export const code = (text: string, most = 80) => {
  const plain = text.replace(/[`\s]+/g, ' ').trim();
  return `\`${plain.length > most ? `${plain.slice(0, most - 1)}…` : plain}\``;
};
