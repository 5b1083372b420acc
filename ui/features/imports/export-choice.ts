import type { Exported } from '../../../daemon/contract/imports.js';

/**
 * The explicit choices per member: whether to write it, and whether its file may be replaced. Everything else follows
 * from the state of the file.
 */
interface ExportChoice {
  ticked: Readonly<Record<string, boolean>>;
  replaced: Readonly<Record<string, boolean>>;
}

export const NO_EXPORT_CHOICE: ExportChoice = { ticked: {}, replaced: {} };

/** Returns why a file cannot be written even with consent: a link, a folder, another member's file. */
export const findObstacle = ({ losses }: Exported) =>
  losses.find(({ key, why }) => key === 'file' && why.startsWith('Not written: '))?.why;

export const canBeWritten = (file: Exported) => file.state !== 'same' && findObstacle(file) === undefined;

/** Reports whether a file is selected. By default all are, except those that another program or person wrote. */
export const isMeant = (file: Exported, { ticked }: ExportChoice) =>
  canBeWritten(file) && (ticked[file.id] ?? file.state !== 'foreign');

/** Reports whether a file is selected but would replace a foreign file without consent. */
export const needsConsent = (file: Exported, choice: ExportChoice) =>
  isMeant(file, choice) && file.state === 'foreign' && choice.replaced[file.id] !== true;

/** Returns the choice without what it says of the members that were written. */
export function withoutWritten({ ticked, replaced }: ExportChoice, written: readonly { id: string }[]): ExportChoice {
  const ids = new Set(written.map(({ id }) => id));
  const rest = (of: Readonly<Record<string, boolean>>) =>
    Object.fromEntries(Object.entries(of).filter(([id]) => !ids.has(id)));
  return { ticked: rest(ticked), replaced: rest(replaced) };
}

/** Returns the members to write, and those whose foreign files may be replaced. */
export function countWrites(files: readonly Exported[], choice: ExportChoice): { ids: string[]; replace: string[] } {
  const meant = files.filter((file) => isMeant(file, choice) && !needsConsent(file, choice));
  return {
    ids: meant.map(({ id }) => id),
    replace: meant.filter(({ state }) => state === 'foreign').map(({ id }) => id),
  };
}
