interface KeyPress {
  key: string;
  shiftKey: boolean;
  metaKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  /** Whether Enter alone sends. */
  enterSends: boolean;
}

/**
 * Reports whether a key sends: ⌘ or Ctrl with Enter always, Enter alone when the preference says so, never during IME
 * composition.
 */
export function sendsOn({ key, shiftKey, metaKey, ctrlKey, altKey, isComposing, enterSends }: KeyPress): boolean {
  if (key !== 'Enter' || isComposing || shiftKey || altKey) return false;
  return metaKey || ctrlKey || enterSends;
}
