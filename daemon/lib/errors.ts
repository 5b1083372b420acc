import type { ErrorCode } from '../contract/errors.js';

/**
 * The one error that features throw on purpose. `message` says what was wrong and what would be right and is shown to the
 * caller; `details` are further fields of the error body. Never put a secret into either.
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

/** True when `error` is a MeshError, of `code` if one is given. */
export function isMeshError(error: unknown, code?: ErrorCode): error is MeshError {
  return error instanceof MeshError && (code === undefined || error.code === code);
}

/** The code of a failed system call (`ENOENT`, `ENOSPC`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What an unknown thrown value says of itself. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The file that a failed system call was about, of an error or of what caused it. */
export function pathOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { path } = error as { path?: unknown };
  return typeof path === 'string' ? path : pathOf(error.cause);
}
