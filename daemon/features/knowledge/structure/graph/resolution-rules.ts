import type { FoundSymbol } from '../../../../storage/database/structure-reader.js';

/** Languages whose methods call each other without naming the object. */
export const IMPLICIT_SELF = new Set(['java', 'csharp', 'cpp', 'ruby']);
/** Languages in which a name of another file can be used without importing it by name. */
export const OPEN = new Set(['cpp', 'ruby', 'php', 'bash', 'csharp']);
/** Languages whose files of one folder or package share their names. */
export const BY_FOLDER = new Set(['go', 'java']);
/** Methods of built-in types: on an object of unknown type they say nothing. */
export const COMMON = new Set(
  (
    'add all any append apply at bind call catch clear close concat contains copy count delete entries every ' +
    'extend fill filter finally find findIndex flat flatMap forEach format get getOrDefault has includes indexOf ' +
    'insert isEmpty items iter join keys len length load map match next of on open pop push put read reduce ' +
    'remove replace reverse run send set shift size slice some sort split splice start startsWith endsWith stop ' +
    'test then toString trim update values write toLowerCase toUpperCase'
  ).split(' '),
);
export const REACH = 3;
export const SUBTYPE_DEPTH = 5;

export interface Resolved {
  symbols: readonly FoundSymbol[];
  /** Whether only the name says that it is one of these. */
  byName: boolean;
  isForeign?: boolean;
}

export const NONE: Resolved = { symbols: [], byName: false };
/** What belongs to another project: its name says nothing. */
export const FOREIGN: Resolved = { symbols: [], byName: false, isForeign: true };
export const sure = (symbols: readonly FoundSymbol[]): Resolved => ({ symbols, byName: false });
export const named = (symbols: readonly FoundSymbol[]): Resolved => ({ symbols, byName: true });
export const lastPart = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** An `impl` block, which is no definition of its own. */
export const isOwnImpl = (one: FoundSymbol) => one.isDeclaration && one.kind === 'type';
export const folder = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
export const stem = (path: string) => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
export const containers = (symbols: readonly FoundSymbol[]) =>
  new Set(symbols.map((one) => `${one.language === 'cpp' || one.language === 'rust' ? '' : one.file}.${one.container}`))
    .size;
export const isOne = (symbols: readonly FoundSymbol[]) => symbols.filter((one) => !one.isDeclaration).length <= 1;

/** A declaration stands for its definitions in other files. */
export function withDefinitions(
  found: readonly FoundSymbol[],
  candidates: readonly FoundSymbol[],
  mayBe: (one: FoundSymbol) => boolean,
): FoundSymbol[] {
  const more = candidates.filter(
    (one) =>
      !found.includes(one) &&
      !one.isDeclaration &&
      mayBe(one) &&
      found.some((declared) => declared.isDeclaration && declared.kind === one.kind),
  );
  return [...found, ...more];
}

/** Whether a specifier can only mean a file of this project. */
export function isInternal(specifier: string, language: string): boolean {
  if (language === 'rust') return /^(?:crate|self|super)(?:::|$)/.test(specifier);
  return (
    specifier.startsWith('.') || specifier.startsWith('#') || specifier.startsWith('@/') || specifier.startsWith('~/')
  );
}
