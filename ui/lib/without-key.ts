/** Says why there is no dashboard, in the place of the page. */
export function sayWithoutKey(): void {
  const words = document.createElement('p');
  words.setAttribute('role', 'alert');
  words.style.padding = '24px';
  words.textContent =
    'This page came without the key of the daemon: the browser keeps no cookies for this address, or something that an earlier program left at it stands between them. Allow cookies, close the other tabs of this address, clear its site data, and load the page again.';
  document.body.replaceChildren(words);
}
