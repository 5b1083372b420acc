/**
 * An address from outside as it may be opened: http or https without a name or password in it, its host in the form that cannot be mistaken for another;
 * undefined for everything else.
 */
export function outsideAddress(text: string | null | undefined): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const address = new URL(text);
  const isOpenable =
    ['http:', 'https:'].includes(address.protocol) && address.username === '' && address.password === '';
  return isOpenable ? address : undefined;
}
