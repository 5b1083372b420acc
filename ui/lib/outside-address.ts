/**
 * Parses an untrusted URL that may be opened: http or https, without user name and password. An international host is
 * in Punycode, so that it cannot be mistaken for another. Returns undefined for everything else.
 */
export function outsideAddress(text: string | null | undefined): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const address = new URL(text);
  const isOpenable =
    ['http:', 'https:'].includes(address.protocol) && address.username === '' && address.password === '';
  return isOpenable ? address : undefined;
}
