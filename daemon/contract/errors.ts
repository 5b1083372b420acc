import { type Static, Type } from 'typebox';

/** Every machine-readable error code of the API. The HTTP status of each is in `http/error-handler.ts`. */
export const ERROR_CODES = [
  'bad_request',
  'unknown_key',
  'unknown_card_key',
  'reserved_agent_id',
  'plaintext_endpoint',
  'self_report',
  'proof_format',
  'secret_in_member_file',
  'unauthorized',
  'bad_signature',
  'payment_required',
  'nonce_spent',
  'insufficient_funds',
  'budget_exceeded',
  'forbidden_origin',
  'forbidden',
  'age_gated',
  'not_found',
  'board_not_found',
  'post_not_found',
  'agent_id_claimed',
  'member_exists',
  'member_protected',
  'immutable_field',
  'not_exposed',
  'singleton_busy',
  'member_bound',
  'member_gone',
  'not_empty',
  'not_waiting',
  'tests_failed',
  'no_working_client',
  'no_editor',
  'boards_disabled',
  'slug_taken',
  'limit_reached',
  'board_full',
  'board_limit',
  'in_flight',
  'file_changed',
  'too_large',
  'unsupported_media_type',
  'wrong_host',
  'upgrade_required',
  'post_too_long',
  'idempotency_mismatch',
  'too_many_requests',
  'internal',
  'overloaded',
  'daemon_restarted',
  'network_unavailable',
  'store_readonly',
  'deadline',
  'no_space',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * Body of every refused request: a code for programs and a sentence for people that says what was wrong and what would
 * be right. Some codes carry further fields (`path`, `suggested`, `conv`, `retry_after`); every one that ends a paid
 * call may carry `refund`.
 */
export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'Machine-readable code.' }),
    message: Type.Optional(Type.String({ description: 'What was wrong and what would be right.' })),
    id: Type.Optional(Type.String({ description: 'Only with `internal`: the id under which the daemon logged it.' })),
  },
  { $id: 'ErrorBody', additionalProperties: true },
);
export type ErrorBody = Static<typeof ErrorBody> & Record<string, unknown>;
