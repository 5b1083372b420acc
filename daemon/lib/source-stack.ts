import { SourceMap } from 'node:module';
import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What follows the folder's name in a frame: `chunks/ask-Bq2x.js:1:4711`. Bounded, because any text can be looked through. */
const POSITION = /^([\w./-]{1,200}\.c?js):(\d{1,9}):(\d{1,9})/;

/**
 * A function that names our own sources (`daemon/cli/ask.ts:12:5`) in a text where a stack trace names what the build made of them in `folder`, which ends
 * in a slash. `readFile` returns the text of a source map; where it throws, the text stays as it is.
 *
 * Not `process.setSourceMapsEnabled`: Node.js applies it only to modules that are loaded after it, each of which then loads its map at the start.
 */
export function createSourceNamer(folder: string, readFile: (path: string) => string): (text: string) => string {
  const maps = new Map<string, SourceMap | undefined>();

  const findMap = (file: string): SourceMap | undefined => {
    if (maps.has(file)) return maps.get(file);
    let map: SourceMap | undefined;
    try {
      map = new SourceMap(JSON.parse(readFile(`${folder}${file}.map`)));
    } catch {
      // Not one of the build's files, or the maps were not installed.
    }
    maps.set(file, map);
    return map;
  };

  const findSource = (file: string, line: number, column: number): string | undefined => {
    const entry = findMap(file)?.findEntry(line - 1, column - 1);
    // A position in a package has an entry without a source.
    if (!entry || !('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    // Sources are named from their file, which is one folder below the package.
    const source = posix.join('dist', posix.dirname(file), entry.originalSource);
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  };

  const nameSources = (text: string, prefix: string): string => {
    const [start = '', ...frames] = text.split(prefix);
    const named = frames.map((frame) => {
      const [position, file = '', line, column] = POSITION.exec(frame) ?? [];
      const source = position && findSource(file, Number(line), Number(column));
      return source ? source + frame.slice(position.length) : prefix + frame;
    });
    return [start, ...named].join('');
  };

  const address = pathToFileURL(folder).href;
  return (text) => nameSources(nameSources(text, address), folder);
}
