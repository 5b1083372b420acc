import type { ErrorCode } from '../contract/errors.js';

/**
 * The error that features throw deliberately. `message` is shown to the caller; it states what is wrong and what is
 * expected. `details` are additional fields of the error body. Neither may contain a secret.
 */
export class MeshError extends Error {
  override readonly name = 'MeshError';
  readonly details: Record<string, unknown>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? {};
  }
}

/** The `not_found` of a thing by its kind and the id that was given, of which at most 64 characters are told. */
export const unknownId = (kind: string, id: string) =>
  new MeshError('not_found', `There is no ${kind} \`${id.slice(0, 64)}\`.`);

/** Whether `error` is a MeshError, with the code `code` if one is given. */
export function isMeshError(error: unknown, code?: ErrorCode): error is MeshError {
  return error instanceof MeshError && (code === undefined || error.code === code);
}

/** The code of a failed system call (`ENOENT`, `ENOSPC`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The message of a thrown value of unknown type. */
export function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The path of a failed system call, taken from the error or from its causes. */
export function getErrorPath(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { path } = error as { path?: unknown };
  return typeof path === 'string' ? path : getErrorPath(error.cause);
}
