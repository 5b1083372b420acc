/**
 * Whether a key belongs to an input method. Safari ends the composition before the key that ended it: that key has the
 * code 229 alone, which no key of a keyboard has.
 */
export const isComposing = (event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;
