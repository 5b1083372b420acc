export function listFiles(root: string, path: string): string[];
export function digestOf(root: string, paths: readonly string[], counts?: (file: string) => boolean): string;
export function readStamp(path: string): Record<string, unknown> | undefined;
export function writeStamp(path: string, stamp: Record<string, unknown>): void;
