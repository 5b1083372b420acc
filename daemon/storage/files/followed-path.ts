import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The same number of links as the operating system follows. */
const LINKS_MAX = 40;

/**
 * Resolves every link in `path` (absolute), also a link to a missing target. The part that does not exist is kept as
 * written. Returns undefined for circular links.
 */
export function followedPath(path: string, linksLeft = LINKS_MAX): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    if (dirname(path) === path) return path;
    const folder = followedPath(dirname(path), linksLeft);
    const place = folder && join(folder, basename(path));
    const link = place && linkAt(place);
    if (!link) return place;
    return linksLeft === 0 ? undefined : followedPath(resolve(folder, link), linksLeft - 1);
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or it does not exist.
    return undefined;
  }
}
