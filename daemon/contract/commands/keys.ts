import { type Static, Type } from 'typebox';

/** An Idempotency-Key with the digest of the request's body, in hex. Null when the request had none. */
export const RequestKey = Type.Union([
  Type.Object(
    {
      scope: Type.String({ minLength: 1, maxLength: 400 }),
      key: Type.String({ minLength: 1, maxLength: 400 }),
      body_sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    },
    { additionalProperties: false },
  ),
  Type.Null(),
]);
export type RequestKey = Static<typeof RequestKey>;

/** A SHA-256 digest in base64url. */
export const Digest = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
