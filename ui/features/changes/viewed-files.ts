import { useCallback, useSyncExternalStore } from 'react';
import type { ChangedFile } from '../../../daemon/contract/work/changes.js';
import { type BrowserStorage, getStorage } from '../../lib/storage/browser-storage.js';

const PREFIX = 'meshd.viewed.';
/** Conversations whose marks are kept. Those that were marked last stay. */
const CONVERSATIONS_MAX = 50;

interface Marks {
  at: number;
  /** The digest of the patch that was viewed, by path. */
  digests: Readonly<Record<string, string>>;
}

/** Returns a short digest of a patch. It only tells one version of a file's change from the next. */
export function digestPatch(patch: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < patch.length; at += 1) hash = Math.imul(hash ^ patch.charCodeAt(at), 0x01000193);
  return `${(hash >>> 0).toString(36)}.${patch.length}`;
}

/** Identifies a change that was not loaded. */
export const digestCounts = ({ additions, deletions }: Pick<ChangedFile, 'additions' | 'deletions'>) =>
  `${additions}-${deletions}`;

/** Whether the mark belongs to the change as it is now. Until the diff is loaded, the mark counts. */
export const isSameChange = (viewed: string, file: ChangedFile, patch: string | undefined): boolean =>
  patch === undefined || viewed === digestPatch(patch) || viewed === digestCounts(file);

/** Which changes the user has viewed, kept in this browser. A mark belongs to one version of a file's change. */
export class ViewedFiles {
  private readonly marks = new Map<string, Marks>();
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly storage: BrowserStorage,
    private readonly now: () => number,
  ) {}

  readonly watch = (notify: () => void) => {
    this.watchers.add(notify);
    return () => this.watchers.delete(notify);
  };

  /** Returns the digests of a conversation: the same object until the next change. */
  read(conv: string): Marks['digests'] {
    let marks = this.marks.get(conv);
    if (!marks) {
      marks = this.load(PREFIX + conv);
      this.marks.set(conv, marks);
    }
    return marks.digests;
  }

  /** Marks a file as viewed at `digest`, or with undefined as not viewed. */
  set(conv: string, path: string, digest: string | undefined): void {
    const { [path]: _before, ...others } = this.read(conv);
    const marks = { at: this.now(), digests: digest === undefined ? others : { ...others, [path]: digest } };
    this.marks.set(conv, marks);
    try {
      this.storage.setItem(PREFIX + conv, JSON.stringify(marks));
      this.removeOldest();
    } catch {
      // A full or forbidden storage keeps the mark in memory only.
    }
    for (const notify of this.watchers) notify();
  }

  private load(key: string): Marks {
    const none = { at: 0, digests: {} };
    try {
      const marks = JSON.parse(this.storage.getItem(key) ?? 'null') as Partial<Marks> | null;
      return typeof marks?.digests === 'object' ? { at: Number(marks.at), digests: marks.digests } : none;
    } catch {
      return none;
    }
  }

  private removeOldest(): void {
    const keys = Array.from({ length: this.storage.length }, (_, at) => this.storage.key(at) ?? '');
    const kept = keys.filter((key) => key.startsWith(PREFIX)).map((key) => ({ key, at: this.load(key).at }));
    kept.sort((a, b) => b.at - a.at);
    for (const { key } of kept.slice(CONVERSATIONS_MAX)) this.storage.removeItem(key);
  }
}

let viewedFiles: ViewedFiles | undefined;
const getViewedFiles = () => {
  viewedFiles ??= new ViewedFiles(getStorage('localStorage'), Date.now);
  return viewedFiles;
};

/** Returns the digests of the viewed changes of a conversation, and a function that sets one. */
export function useViewedFiles(conv: string) {
  const files = getViewedFiles();
  const digests = useSyncExternalStore(files.watch, () => files.read(conv));
  const set = useCallback((path: string, digest: string | undefined) => files.set(conv, path, digest), [files, conv]);
  return { digests, set };
}
