/**
 * Returns the SHA-256 digest of the UTF-8 bytes of `text` in lower-case hex. In a page this requires a secure context,
 * such as an origin of 127.0.0.1.
 */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
