import { checkMeshSig, type MeshSignature, parseMeshSig, type SignedRequest } from '../../lib/crypto/mesh-sig.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { getRawBody } from '../json-body.js';
import type { AnyRequest } from '../route-types.js';

/** Marks a nonce as used for its key and returns whether it was new. */
interface Nonces {
  use(pubkey: string, nonce: string, ts: number, nowMs: number): Promise<boolean>;
}

/** The signer of a request and the exact request that was signed. */
export interface SignedCaller extends MeshSignature {
  request: SignedRequest;
}

/** Reads `Mesh-Sig` headers. Spec: Authentication; contract: Reputation and signatures. */
export class SignedCallers {
  constructor(
    private readonly nonces: Nonces,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the signer of `request`; undefined when it is not signed. Throws `bad_signature` for a signature that is
   * wrong, expired or used before, and for more than one header.
   */
  async find(request: AnyRequest): Promise<SignedCaller | undefined> {
    const headers = request.raw.headersDistinct['mesh-sig'];
    if (headers === undefined) return undefined;
    if (headers.length !== 1) throw new MeshError('bad_signature', 'Send one Mesh-Sig header.');
    const signature = parseMeshSig(headers[0] as string);
    const signed = { method: request.method, path: request.url, body: getRawBody(request) };
    const nowMs = this.clock.now();
    checkMeshSig(signature, signed, nowMs);
    if (!(await this.nonces.use(signature.pubkey, signature.nonce, signature.ts, nowMs))) {
      throw new MeshError('bad_signature', 'This nonce was used before: sign every request with a fresh one.');
    }
    return { ...signature, request: signed };
  }

  /** Does the same as `find`, but throws `bad_signature` when the request is not signed. */
  async get(request: AnyRequest): Promise<SignedCaller> {
    const caller = await this.find(request);
    if (!caller) throw new MeshError('bad_signature', 'Sign the request: "Mesh-Sig: v1 <pubkey> <ts> <nonce> <sig>".');
    return caller;
  }
}
