import { systemCode } from '../../lib/errors.js';

/** EACCES: Termux, where Android forbids them; ENOSYS: FUSE without them; EMLINK: a file has all that it may have. */
const CODES = new Set<string | undefined>(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Reports whether `link` failed with an error of a file system that has no hard links, such as exFAT. One that refuses
 * every change gives some of these too: what is done instead of the link then fails as well.
 */
export const isWithoutLinks = (error: unknown): boolean => CODES.has(systemCode(error));
