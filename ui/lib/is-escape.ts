/** Whether a key is Esc. While text is composed, Esc is for the input method: it discards the composition alone. */
export const isEscape = ({ key, isComposing }: Pick<KeyboardEvent, 'key' | 'isComposing'>): boolean =>
  key === 'Escape' && !isComposing;
