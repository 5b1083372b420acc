/** Returns the choice for a digit key, counted from 1; undefined for any other key or with a modifier. */
export function keyChoice<T>(
  choices: readonly T[],
  { key, metaKey, ctrlKey, altKey }: Pick<KeyboardEvent, 'key' | 'metaKey' | 'ctrlKey' | 'altKey'>,
): T | undefined {
  return metaKey || ctrlKey || altKey || !/^[1-9]$/.test(key) ? undefined : choices[Number(key) - 1];
}
