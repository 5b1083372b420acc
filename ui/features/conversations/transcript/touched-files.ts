import type { Message } from '../../../../daemon/contract/conversations.js';

interface TouchedFile {
  path: string;
  from: number;
  to: number;
  times: number;
}

/** Names in any script, and those that frameworks route by, as in `app/[id]/(shop)/page.tsx`. */
const PLACE =
  /^((?:[\p{L}\p{M}\p{N}_@.+()[\]=~-]+\/)*[\p{L}\p{M}\p{N}_@.+()[\]=~-]+(?<!\.)\.\w{1,12})(?::(\d+)(?:-(\d+))?)?$/u;

/** Parses the file and lines of a tool's target; undefined for commands, patterns, addresses, and paths with `..`. */
export function parsePlace(target: string): Omit<TouchedFile, 'times'> | undefined {
  const [, path, from = '1', to = from] = PLACE.exec(target.trim().replace(/^\.\//, '')) ?? [];
  return path === undefined || path.split('/').includes('..')
    ? undefined
    : { path, from: Number(from), to: Number(to) };
}

/** Returns the files that tools were used on, most used first, at most `limit`. */
export function touchedFiles(messages: readonly Pick<Message, 'calls'>[], limit: number): TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  for (const { calls } of messages) {
    for (const { target } of calls) {
      const place = parsePlace(target);
      if (!place) continue;
      const known = files.get(place.path);
      files.set(place.path, { ...place, times: (known?.times ?? 0) + 1 });
    }
  }
  return [...files.values()].sort((a, b) => b.times - a.times || a.path.localeCompare(b.path)).slice(0, limit);
}
