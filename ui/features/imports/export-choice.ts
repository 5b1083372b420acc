import type { Exported } from '../../../daemon/contract/imports.js';

/** What was ticked by hand of the members and of the files that may be replaced; the rest follows from the state of the file. */
export interface ExportChoice {
  ticked: Readonly<Record<string, boolean>>;
  replaced: Readonly<Record<string, boolean>>;
}

export const NO_EXPORT_CHOICE: ExportChoice = { ticked: {}, replaced: {} };

/** Why it cannot be written at all, though it could be replaced: a link, a folder, another member’s file. */
export const obstacleOf = ({ losses }: Exported) =>
  losses.find(({ key, why }) => key === 'file' && why.startsWith('Not written: '))?.why;

export const canBeWritten = (file: Exported) => file.state !== 'same' && obstacleOf(file) === undefined;

/** All but the files that somebody else wrote are ticked to begin with. */
export const isMeant = (file: Exported, { ticked }: ExportChoice) =>
  canBeWritten(file) && (ticked[file.id] ?? file.state !== 'foreign');

/** Ticked, but over somebody else’s file, which was not allowed yet. */
export const needsConsent = (file: Exported, choice: ExportChoice) =>
  isMeant(file, choice) && file.state === 'foreign' && choice.replaced[file.id] !== true;

/** What is to be written, and over whose files it may go. */
export function writesOf(files: readonly Exported[], choice: ExportChoice): { ids: string[]; replace: string[] } {
  const meant = files.filter((file) => isMeant(file, choice) && !needsConsent(file, choice));
  return {
    ids: meant.map(({ id }) => id),
    replace: meant.filter(({ state }) => state === 'foreign').map(({ id }) => id),
  };
}
