import { SourceMap } from 'node:module';
import { posix } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The position that follows the folder in a stack frame: `chunks/ask-Bq2x.js:1:4711`. Its length is bounded because the
 * input is arbitrary text.
 */
const POSITION = /^([\w./-]{1,200}\.c?js):(\d{1,9}):(\d{1,9})/;

/**
 * Creates a function that replaces positions in the built files of `folder` by source positions
 * (`daemon/cli/asks/ask.ts:12:5`) wherever a text contains them. `folder` ends in a slash. `readFile` returns the text
 * of a source map; where it throws, the text is left unchanged.
 *
 * `process.setSourceMapsEnabled` is not used: Node.js applies it only to modules loaded after the call, and each of
 * those loads its map at startup.
 */
export function createSourceNamer(folder: string, readFile: (path: string) => string): (text: string) => string {
  const maps = new Map<string, SourceMap | undefined>();

  const findMap = (file: string): SourceMap | undefined => {
    if (maps.has(file)) return maps.get(file);
    let map: SourceMap | undefined;
    try {
      map = new SourceMap(JSON.parse(readFile(`${folder}${file}.map`)));
    } catch {
      // Not a file of the build, or the maps are not installed.
    }
    maps.set(file, map);
    return map;
  };

  const findSource = (file: string, line: number, column: number): string | undefined => {
    const entry = findMap(file)?.findEntry(line - 1, column - 1);
    // A position in a package has an entry without a source.
    if (!entry || !('originalSource' in entry) || entry.originalSource === undefined) return undefined;
    // Sources are relative to their file, which is one folder below the package.
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
