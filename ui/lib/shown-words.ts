/** Marks that turn the reading direction of whatever follows, beyond their own element too. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Words from files and callers as they may be shown: marks that would rearrange what stands beside them are made visible. */
export const shownWords = (text: string): string => text.replace(TURNING, '\ufffd');
