import { sha256Hex } from '../../lib/crypto/digests.js';

/** A document with its serialized form. */
export interface ServedDocument<T> {
  value: T;
  bytes: Buffer;
  /** Strong ETag, derived from the bytes. */
  etag: string;
}

/** A document that is built once per basis, such as the agent address. Strings are served as they are, other values as JSON. */
export class CachedDocument<T> {
  private made: (ServedDocument<T> & { of: string }) | undefined;

  constructor(
    private readonly make: () => T,
    private readonly basis: () => string,
  ) {}

  get(): ServedDocument<T> {
    const of = this.basis();
    if (this.made?.of === of) return this.made;
    const value = this.make();
    const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    this.made = { of, value, bytes, etag: `"${sha256Hex(bytes).slice(0, 32)}"` };
    return this.made;
  }
}
