const SIGNATURE = 'DIRC';
/**
 * The versions of the index that hold every path in full. Version 4 shortens a path by what it shares with the last.
 */
const WHOLE_PATHS: readonly number[] = [2, 3];
/** Extensions with which paths are elsewhere (a split index) or stand for all below them (a sparse index). */
const EXTENSIONS = ['link', 'sdir'];

/**
 * Whether the file of git's index may list a path that begins with one of `paths`. Never false when it lists one; true
 * also for an index of another form, and for one where such a text stands elsewhere.
 */
export function mayListAny(index: Buffer, paths: readonly string[]): boolean {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== SIGNATURE) return true;
  if (!WHOLE_PATHS.includes(index.readUInt32BE(4))) return true;
  return [...EXTENSIONS, ...paths].some((text) => index.includes(text));
}
