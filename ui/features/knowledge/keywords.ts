/**
 * Reserved words of three letters or more, by the endings of files. Words that a language reserves in some places only,
 * such as `type` and `from`, are left out: they may be names.
 */
const KEYWORDS: readonly [endings: string, words: string][] = [
  [
    'ts tsx mts cts js jsx mjs cjs',
    'await break case catch class const continue debugger default delete else enum export extends false finally for ' +
      'function implements import instanceof interface let new null package private protected public return static ' +
      'super switch this throw true try typeof var void while with yield',
  ],
  [
    'py pyi',
    'False None True and assert async await break class continue def del elif else except finally for from global ' +
      'import lambda nonlocal not pass raise return try while with yield',
  ],
  [
    'go',
    'break case chan const continue default defer else fallthrough for func goto import interface map package range ' +
      'return select struct switch type var',
  ],
  [
    'rs',
    'Self async await break const continue crate dyn else enum extern false for impl let loop match mod move mut pub ' +
      'ref return self static struct super trait true type unsafe use where while',
  ],
  [
    'java cs',
    'abstract assert boolean break byte case catch char class const continue default double else enum extends false ' +
      'final finally float for foreach goto implements import instanceof int interface internal long namespace native ' +
      'new null operator out override package private protected public readonly ref return sealed short static string ' +
      'struct super switch synchronized this throw throws transient true try typeof using virtual void volatile while',
  ],
  [
    'c h cc cpp cxx hpp hh',
    'auto bool break case catch char class const constexpr continue default delete double else enum explicit extern ' +
      'false float for friend goto inline int long namespace new nullptr operator private protected public register ' +
      'return short signed sizeof static struct switch template this throw true try typedef typename union unsigned ' +
      'using virtual void volatile while',
  ],
  [
    'rb',
    'BEGIN END alias and begin break case class def defined else elsif end ensure false for module next nil not redo ' +
      'rescue retry return self super then true undef unless until when while yield',
  ],
  [
    'php',
    'abstract and array break callable case catch class clone const continue declare default echo else elseif empty ' +
      'enddeclare endfor endforeach endif endswitch endwhile extends final finally for foreach function global goto ' +
      'implements include instanceof interface isset list namespace new print private protected public require return ' +
      'static switch throw trait try unset use var while xor yield',
  ],
  ['sh bash', 'case done elif else esac for function select then until while'],
];

const BY_ENDING: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  KEYWORDS.flatMap(([endings, words]) => {
    const set = new Set(words.split(' '));
    return endings.split(' ').map((ending) => [ending, set] as const);
  }),
);

/** Whether a word is reserved in the language of a file, and so is no name there. */
export const isKeyword = (path: string, word: string): boolean =>
  BY_ENDING.get(path.split('.').at(-1)?.toLowerCase() ?? '')?.has(word) === true;
