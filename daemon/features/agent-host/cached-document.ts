import { sha256Hex } from '../../lib/digests.js';

/** A document as it goes over the wire. */
export interface ServedDocument<T> {
  value: T;
  bytes: Buffer;
  /** Strong: of the bytes. */
  etag: string;
}

/** A document that is made once for each address that it speaks of; texts go as they are, anything else as JSON. */
export class CachedDocument<T> {
  private made: (ServedDocument<T> & { of: string }) | undefined;

  constructor(
    private readonly make: () => T,
    private readonly address: () => string,
  ) {}

  get(): ServedDocument<T> {
    const of = this.address();
    if (this.made?.of === of) return this.made;
    const value = this.make();
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    this.made = { of, value, bytes, etag: `"${sha256Hex(bytes).slice(0, 32)}"` };
    return this.made;
  }
}

/** Whether a caller that sends `ifNoneMatch` has the document with this tag already. */
export function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}
