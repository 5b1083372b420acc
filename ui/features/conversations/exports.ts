import { conversationPath } from './conversations-queries.js';

export const FORMATS = { md: 'Markdown', html: 'HTML', jsonl: 'JSON lines' } as const;
type Format = keyof typeof FORMATS;

export const isFormat = (word: string): word is Format => Object.hasOwn(FORMATS, word);

/** Returns the path of a conversation's export. */
export const exportPath = (conv: string, format: Format): string => `${conversationPath(conv)}/export?format=${format}`;
