interface Pressed {
  key: string;
  shiftKey: boolean;
  metaKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  /** Enter alone sends. */
  enterSends: boolean;
}

/** Whether a key sends: ⌘ or Ctrl with Enter always, Enter alone where it is wanted. Never while a word is composed. */
export function sendsOn({ key, shiftKey, metaKey, ctrlKey, altKey, isComposing, enterSends }: Pressed): boolean {
  if (key !== 'Enter' || isComposing || shiftKey || altKey) return false;
  return metaKey || ctrlKey || enterSends;
}
