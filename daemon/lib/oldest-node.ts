/** The oldest version of Node.js that runs meshd: `engines` in package.json. */
export const OLDEST_NODE = [20, 19] as const;

/** Whether `version` (`v20.19.0`) is `[major, minor]` or newer. */
export function isNodeFrom(version: string, [first, second]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  return major > first || (major === first && minor >= second);
}

/** Says in a sentence that the version of Node.js is too old, and what to install. Undefined when it is not. */
export function explainOldNode(version: string): string | undefined {
  if (isNodeFrom(version, OLDEST_NODE)) return undefined;
  const oldest = OLDEST_NODE.join('.');
  return `Node.js ${version} is too old: install Node.js ${oldest} or newer, then run the command again.`;
}
