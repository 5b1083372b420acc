import { type Static, Type } from 'typebox';
import { REPORT_BODY_LIMIT } from '../network/reputation.js';
import { oneOf } from '../one-of.js';
import { RequestKey } from './keys.js';

/** What a sender may have verified of a report. */
const VERIFIED = ['receipt', 'payment'] as const;

/**
 * `reputation.file`: the request that the reporter signed, with its `Mesh-Sig`. `proofs` are those of the report that
 * the sender has verified. The entity is the id of the agent that the report is about.
 */
export const FileReport = Type.Object(
  {
    request: Type.Object(
      {
        method: Type.Literal('POST'),
        path: Type.String({ maxLength: 400 }),
        body: Type.String({ maxLength: REPORT_BODY_LIMIT }),
      },
      { additionalProperties: false },
    ),
    signature: Type.Object(
      {
        pubkey: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
        ts: Type.Integer({ minimum: 0, maximum: 999_999_999_999 }),
        nonce: Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' }),
        sig: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' }),
      },
      { additionalProperties: false },
    ),
    proofs: Type.Array(oneOf(VERIFIED), { maxItems: VERIFIED.length }),
    key: RequestKey,
  },
  { additionalProperties: false },
);
export type FileReport = Static<typeof FileReport>;
