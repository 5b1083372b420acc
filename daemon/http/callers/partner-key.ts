import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../lib/crypto/digests.js';
import type { AnyRequest } from '../route-types.js';
import type { WrongCredentials } from './bearer.js';

/** The keys of this machine's partners, who may register reserved ids. Contract: Hub. */
export class PartnerKeys {
  private readonly digests: readonly Buffer[];

  constructor(
    keys: readonly string[],
    private readonly wrong: WrongCredentials,
  ) {
    this.digests = keys.map((key) => sha256(key));
  }

  /**
   * Whether the request carries a partner's `X-Partner-Key`. Returns false for a wrong key. Throws `too_many_requests`
   * after twenty wrong keys a minute.
   */
  isPartner(request: AnyRequest): boolean {
    const given = request.headers['x-partner-key'];
    if (given === undefined) return false;
    const digest = sha256(String(given));
    // Every key is compared, so that the time does not reveal which one came close.
    const isPartner = this.digests.filter((known) => timingSafeEqual(known, digest)).length > 0;
    if (isPartner) return true;
    const refusal = this.wrong.refuse('partner key');
    if (refusal.code === 'too_many_requests') throw refusal;
    return false;
  }
}
