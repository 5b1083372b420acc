/** Marks that turn the reading direction of whatever follows, beyond their own element too. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** More marks upon one letter than any script has: they cover the lines around it, and take a browser minutes to draw. */
const PILED = /(\p{M}{16})\p{M}+/gu;

/** Words from files and callers as they may be shown: marks that would rearrange or cover what stands beside them are made visible. */
export const shownWords = (text: string): string => text.replace(TURNING, '\ufffd').replace(PILED, '$1\ufffd');
