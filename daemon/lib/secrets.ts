/** Shapes of the secrets that the daemon hands out, and of well-known providers' keys. */
const SECRET =
  /\b(?:ck|ak|tk|mk)_[A-Za-z0-9_-]{16,}|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bglpat-[A-Za-z0-9_-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const LOGGED =
  /\b(?:ck|ak|tk|mk)_[A-Za-z0-9_-]{4,}|(?<![\w-])(?=[\w-]*eyJ[\w-]{8})[\w-]+\.[\w-]+\.[\w-]+|\bsk-[A-Za-z0-9_-]{8,}|\bgh[pousr]_[A-Za-z0-9]{8,}|(?<=api_key["':=\s]{1,4})[0-9a-f]{32}|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*/g;

/** Where a token-like value starts in `text`, or undefined. */
export function findSecret(text: string): { index: number; kind: string } | undefined {
  const match = SECRET.exec(text);
  return match ? { index: match.index, kind: match[0].slice(0, 3) } : undefined;
}

/** `text` with everything that looks like a secret replaced, for logs and answers that leave the machine's owner. */
export function scrubSecrets(text: string): string {
  return text.replace(LOGGED, '[redacted]');
}
