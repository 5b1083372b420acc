import { pattern, patternWith } from '../../../lib/text/pattern.js';

/** Which reads of the environment a question is about. */
export interface EnvironmentScope {
  /** Languages by their name in the structure graph; empty for all. */
  languages: readonly string[];
  /** Languages that it leaves out. */
  without: readonly string[];
  /** Folders; empty for all. */
  folders: readonly string[];
  includesTests: boolean;
  /** Whether it says to leave tests or build scripts out: what only those read is not told then. */
  leavesOutTests?: boolean;
}

/** Whether a file is below a folder of that name, or of that path in any place. The folder is in lower case. */
export const isBelow = (path: string, folder: string): boolean =>
  `/${path.slice(0, path.lastIndexOf('/') + 1).toLowerCase()}`.includes(`/${folder}/`);

/** Languages as a question and as the graph call them. */
const LANGUAGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bpython\b/, ['python']],
  [/\b(?:go|golang)\b/, ['go']],
  [/\brust\b/, ['rust']],
  [/\bjava\b/, ['java']],
  [/\bruby\b/, ['ruby']],
  [/\bphp\b/, ['php']],
  [/\b(?:shell|bash|sh)\b/, ['bash']],
  [/(?:^|[\s(])c(?:\+\+)?(?=[\s,/)]|$)|\bcpp\b/, ['cpp']],
  [/\bc#|\bcsharp\b/, ['csharp']],
  [/\b(?:javascript|typescript|js|ts|node)\b/, ['ecmascript']],
];
const LEFT_OUT = patternWith('g')`
    (?:leav\w+|leave|without|except(?: for)?|excluding|not|apart from|but not
      |ignor\w+)\s+(?:out\s+)?(?:the\s+)?([\w+# ,]{1,60})
    |([\w+# ]{1,40})\s+(?:aside|excluded|left out|not)\b
  `;
/** What may be a folder; whoever uses a scope drops those that the project does not have. */
const FOLDER = patternWith('g')`
    \b(?:in|under|below|within|inside|from|package|crate|module|folder|directory)(?:[ ]the)?
      [ ][\x60"]?([a-z][\w.-]{0,40}(?:\/[\w.-]{1,40}){0,6})[\x60"]?\/?(?=[ ]*(?:$|[?.!,)(]|[ ]folder|[ ]directory|[ ]package|[ ]crate
      |[ ]module|[ ](?:read|reads|look|looks|use|uses|check|checks|access|consult|get|fetch|ask|honou?r)\b))
    |\(([a-z][\w.-]{0,40})\/?\)
  `;
const WITH_TESTS = pattern`
    \btests? (?:included|too|as well)\b
    |\bincluding (?:its |the )?tests?\b
    |\b(?:its|the) tests included\b
    |\bin (?:its |the )?tests\b
    |\bor test code\b
  `;
/** Words behind `in` that name no folder. */
const NO_FOLDER = new Set([
  'it',
  'this',
  'total',
  'code',
  'production',
  'here',
  'there',
  'general',
  'my',
  'source',
  'sources',
]);

const languagesIn = (text: string) => LANGUAGES.flatMap(([pattern, names]) => (pattern.test(text) ? names : []));

/** Reads what a question about environment variables is limited to, in lower case. */
export function readEnvironmentScope(text: string): EnvironmentScope {
  const left = [...text.matchAll(LEFT_OUT)].map((match) => match[1] ?? match[2] ?? '').join(' , ');
  const kept = text.replaceAll(LEFT_OUT, ' ');
  // A dot at the end is the sentence's.
  const folders = [...kept.matchAll(FOLDER)].map(([, folder, inBrackets = '']) =>
    (folder ?? inBrackets).replace(/\.$/, ''),
  );
  return {
    languages: languagesIn(kept),
    without: languagesIn(left),
    folders: folders.filter((folder) => !NO_FOLDER.has(folder) && languagesIn(folder).length === 0),
    includesTests: WITH_TESTS.test(text),
    ...(/\b(?:tests?|build scripts?)\b/.test(left) ? { leavesOutTests: true } : {}),
  };
}
