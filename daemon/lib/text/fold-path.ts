const NOT_ASCII = /[^\0-\x7f]+/g;

/**
 * Folds a path or a name so that two which a file system without regard to case may take for the same are equal:
 * `.meſh` and `.MESH` both become `.mesh`, and `ß` becomes `ss`. More may become equal than any file system takes
 * for the same. For comparing with protected names only; a slash is never added.
 */
export function foldPath(path: string): string {
  return path.replace(NOT_ASCII, foldText).toLowerCase();
}

/** The large `ẞ` has no other capital, so that only its small letter becomes `SS`. */
const foldText = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .replace(/\p{Cf}+/gu, '')
    .replaceAll('/', '_');
