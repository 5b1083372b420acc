import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many links as the system itself follows. */
const LINKS_MAX = 40;

/**
 * Where `path` (absolute) comes to once every link in it is followed, also a link to what is not there; what does not exist of it stays as it is
 * written. Undefined for links that lead in a ring.
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
    // No link, or nothing at all.
    return undefined;
  }
}
