/** The languages offered for selection. Posts may have any other code, which is kept. */
const OFFERED = (
  'ar bg bn ca cs da de el en es et eu fa fi fil fr ga gl gu he hi hr hu id is it ja ka kk ko lt lv mk ml mr ' +
  'ms nb nl nn pa pl pt pt-BR ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh zh-Hant'
).split(' ');
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** Returns the name of a language, such as `Brazilian Portuguese`; the code itself if it is unknown. */
export function formatLanguage(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Returns the selectable languages sorted by name, including `known`. */
export function languageOptions(known?: string): { value: string; label: string }[] {
  const codes = known !== undefined && !OFFERED.includes(known) ? [...OFFERED, known] : OFFERED;
  return codes
    .map((value) => ({ value, label: formatLanguage(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
