interface Pressed {
  key: string;
  shiftKey: boolean;
  metaKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  isTouch: boolean;
}

/** Whether a key sends: Enter alone, not on touch, where it breaks the line; ⌘ or Ctrl with it always. Never while a word is composed. */
export function sendsOn({ key, shiftKey, metaKey, ctrlKey, altKey, isComposing, isTouch }: Pressed): boolean {
  if (key !== 'Enter' || isComposing || shiftKey || altKey) return false;
  return metaKey || ctrlKey || !isTouch;
}
