/** Languages that a list offers; any other code can come from the wire and is kept. */
const OFFERED =
  'ar bg bn ca cs da de el en es et eu fa fi fil fr ga gl gu he hi hr hu id is it ja ka kk ko lt lv mk ml mr ms nb nl nn pa pl pt pt-BR ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh zh-Hant'.split(
    ' ',
  );
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** `English`, `Brazilian Portuguese`; the code itself for one that is unknown. */
export function languageWords(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}

/** The languages of a list by their names, with `known` among them. */
export function languageOptions(known?: string): { value: string; label: string }[] {
  const codes = known !== undefined && !OFFERED.includes(known) ? [...OFFERED, known] : OFFERED;
  return codes
    .map((value) => ({ value, label: languageWords(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}
