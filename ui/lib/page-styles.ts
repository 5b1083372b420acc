/**
 * Applies the styles of a page whose code is loaded on demand. The dashboard's one stylesheet is loaded before the first
 * page and must stay small. The Content-Security-Policy permits a constructed stylesheet and no style element.
 */
export function applyPageStyles(text: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets.push(sheet);
}
