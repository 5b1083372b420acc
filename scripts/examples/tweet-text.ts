import { createHash } from 'node:crypto';

/** Maximum length of a tweet in code points. */
export const TWEET_MAX_CHARS = 280;

/** Maximum length in code points and number of hashtags of each tier. */
export const TIERS = {
  mini: { chars: 80, tags: 0 },
  standard: { chars: 140, tags: 1 },
  extended: { chars: 210, tags: 2 },
  max: { chars: TWEET_MAX_CHARS, tags: 3 },
} as const;
export type Tier = keyof typeof TIERS;
export const TIER_NAMES = Object.keys(TIERS) as Tier[];

export const TONES = ['friendly', 'formal', 'playful', 'dry', 'excited'] as const;
type Tone = (typeof TONES)[number];
export const LANGUAGES = ['en', 'de', 'es'] as const;
type Language = (typeof LANGUAGES)[number];

export interface TweetWish {
  prompt: string;
  tier: Tier;
  tone: Tone;
  language: Language;
}

/** Openings and closings by language and tone. `%` is replaced by the words of the prompt. */
const PHRASES: Readonly<
  Record<Language, Readonly<Record<Tone, { open: readonly string[]; close: readonly string[] }>>>
> = {
  en: {
    friendly: {
      open: ['A small note about %.', 'Thinking of % today.', 'Good news for everyone who likes %.'],
      close: ['Tell us what you make of it.', 'Glad to have you along.', 'More soon.'],
    },
    formal: {
      open: ['We are pleased to present: %.', 'A brief notice concerning %.', 'Now available: %.'],
      close: ['Details follow in due course.', 'We welcome your remarks.', 'Thank you for your attention.'],
    },
    playful: {
      open: ['Guess what? % !', 'Plot twist: %.', 'Once upon a time there was %.'],
      close: ['No lamps were harmed.', 'Yes, really.', 'Tell your cat.'],
    },
    dry: {
      open: ['%. That is the tweet.', 'It turns out to be %.', 'For the record: %.'],
      close: ['Carry on.', 'It works. We checked.', 'No further questions.'],
    },
    excited: {
      open: ['It is here: %!', 'Look at this: %!', 'The wait is over: %!'],
      close: ['We cannot stop looking at it!', 'Come and see!', 'What a day!'],
    },
  },
  de: {
    friendly: { open: ['Eine kleine Notiz: %.', 'Heute im Kopf: %.'], close: ['Was meint ihr dazu?', 'Bald mehr.'] },
    formal: {
      open: ['Wir freuen uns anzukündigen: %.', 'Ab sofort: %.'],
      close: ['Einzelheiten folgen.', 'Vielen Dank.'],
    },
    playful: { open: ['Ratet mal: %!', 'Es war einmal: %.'], close: ['Ja, wirklich.', 'Sagt es eurer Katze.'] },
    dry: { open: ['%. Das ist alles.', 'Fürs Protokoll: %.'], close: ['Weitermachen.', 'Es läuft. Geprüft.'] },
    excited: { open: ['Endlich da: %!', 'Schaut euch das an: %!'], close: ['Was für ein Tag!', 'Kommt und seht!'] },
  },
  es: {
    friendly: { open: ['Una nota breve: %.', 'Hoy pensamos en esto: %.'], close: ['¿Qué os parece?', 'Pronto más.'] },
    formal: {
      open: ['Nos complace presentar: %.', 'Ya disponible: %.'],
      close: ['Más detalles en breve.', 'Gracias.'],
    },
    playful: { open: ['¿Adivináis? ¡%!', 'Érase una vez: %.'], close: ['Sí, de verdad.', 'Díselo a tu gato.'] },
    dry: { open: ['%. Eso es todo.', 'Que conste: %.'], close: ['Sigan.', 'Funciona. Comprobado.'] },
    excited: { open: ['¡Por fin: %!', '¡Mirad esto: %!'], close: ['¡Qué día!', '¡Venid a verlo!'] },
  },
};

/** Words that are never used as hashtags. */
const PLAIN = new Set(
  (
    'a an and are as at be by for from in into is it its of on or our over that the their this to under we with ' +
    'you your about der die das und ein eine el la los las un una de y'
  ).split(' '),
);

/**
 * Returns `text` on one line without control characters, links, mentions and hashtags, so that a caller cannot mention
 * another account.
 */
function plainWords(text: string): string {
  const cleaned = text
    .normalize('NFC')
    .replace(/https?:\/\/\S+/gi, ' ')
    .replace(/[@#]/g, '')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return cleaned.replace(/[.!?;:,\s]+$/u, '');
}

/** Returns at most `limit` code points of `text`, cut between words and marked with an ellipsis. */
function shortened(text: string, limit: number): string {
  const characters = [...text];
  if (characters.length <= limit) return text;
  const cut = characters.slice(0, Math.max(0, limit - 1)).join('');
  const atWord = cut.replace(/\s+\S*$/u, '');
  return `${(atWord.length > limit / 2 ? atWord : cut).trimEnd()}…`;
}

function pickHashtags(words: string, count: number): string[] {
  const candidates = words.match(/\p{L}[\p{L}\p{N}]{2,23}/gu) ?? [];
  const tags = [...new Set(candidates.map((word) => word.toLowerCase()).filter((word) => !PLAIN.has(word)))];
  return tags
    .sort((a, b) => b.length - a.length)
    .slice(0, count)
    .map((word) => `#${word}`);
}

const getLength = (text: string) => [...text].length;

/** Returns the number of code points of a text, which is what tiers and `char_count` count. */
export const countCharacters = getLength;

/**
 * Composes a tweet by rules: an opening in the tone with the words of the prompt, and a closing and hashtags as far as
 * the tier permits. The result is deterministic and never longer than the tier permits.
 */
export function composeTweet({ prompt, tier, tone, language }: TweetWish): string {
  const { chars, tags } = TIERS[tier];
  const words = plainWords(prompt) || '…';
  const digest = createHash('sha256').update(`${language} ${tone} ${words}`).digest();
  const { open, close } = PHRASES[language][tone];
  const opening = open[(digest[0] ?? 0) % open.length] as string;
  const closing = close[(digest[1] ?? 0) % close.length] as string;
  const frame = getLength(opening) - 1;
  let text = opening.replace('%', () => shortened(words, chars - frame)).replace(/\s+([!?])/gu, '$1');
  for (const more of [closing, ...pickHashtags(words, tags)]) {
    if (getLength(text) + 1 + getLength(more) <= chars && tier !== 'mini') text = `${text} ${more}`;
  }
  return text;
}
