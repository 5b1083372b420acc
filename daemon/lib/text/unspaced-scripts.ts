/**
 * Texts in scripts that are written without blanks between words, and in Korean, whose words carry their particles. An
 * index holds them as overlapping pairs of letters, so that each word is found wherever it stands; a question is divided
 * into words by the dictionary of `Intl.Segmenter`.
 */

const SCRIPTS =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const RUN = new RegExp(`[${SCRIPTS}]+`, 'gu');
const LETTERS = new RegExp(`(?:(?=[\\p{L}\\p{N}])[${SCRIPTS}])+`, 'gu');
const ONLY_LETTERS = new RegExp(`^(?:${LETTERS.source})$`, 'u');

/** Letters that are words of their own with nothing to search for: they end a word that is not in the dictionary. */
const LETTER_WORDS = new Set('的了在是有和与或吗呢吧被把从到对为及其这那个里中上下我你他不请はがをにでとものかへやね');
/** Particles at the end of Korean words, longest first. */
const KOREAN_PARTICLE =
  /(?<=\p{sc=Hangul}{2})(?:에서는|에서|으로|에는|부터|까지|하는|은|는|이|가|을|를|에|의|로|와|과|도|만)$/u;

let segmenter: Intl.Segmenter | undefined;

/** Puts blanks between the words of `text` where its script has none. */
export function withBlanks(text: string): string {
  return text.normalize('NFC').replace(RUN, (run) => ` ${listWords(run).join(' ')} `);
}

function listWords(run: string): string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const found: string[] = [];
  // What the dictionary lacks comes as single letters.
  let letters = '';
  for (const { segment } of segmenter.segment(run)) {
    const isLetter = segment.length === 1 && !LETTER_WORDS.has(segment);
    if (isLetter) letters += segment;
    else {
      found.push(letters, segment.replace(KOREAN_PARTICLE, ''));
      letters = '';
    }
  }
  return [...found, letters].filter((word) => word !== '');
}

/** Replaces the letters of such scripts in a folded text by pairs with blanks between them; a letter alone stays. */
export function inPairs(text: string): string {
  return text.replace(LETTERS, (run) => ` ${listPairs(run).join(' ')} `);
}

/** The pairs of letters of one folded word; the word itself in every other script. */
export const pairsOf = (word: string): readonly string[] => (ONLY_LETTERS.test(word) ? listPairs(word) : [word]);

function listPairs(run: string): string[] {
  const letters = [...run];
  if (letters.length < 2) return [run];
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
