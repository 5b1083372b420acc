/**
 * Checks every regular expression of the daemon, the client library and the dashboard. They are collected from the
 * syntax trees: literals, expressions of constant text, and patterns of schemas. recheck searches for a text on which
 * matching takes longer than its length explains. Each such text is tried in this engine. All expressions, including
 * those that recheck cannot decide in time, are also tried on long texts made from their own words and characters.
 * Takes some minutes.
 *
 * `npx tsx scripts/hard/input/patterns.ts [--ms 2000] [--texts 60]`
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { readTree } from '../../arrows/imports.js';
import { hostileTexts } from '../access/hostile-texts.js';
import { type Drill, runDrill } from '../drill.js';
import { type Pattern, patternsIn } from './pattern-literals.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('..', import.meta.url));
const CHARS = 50_000;
/** On texts of this length, a pattern with quadratic cost takes seconds. */
const ANSWERS_WITHIN_MS = 100;
/** Number of repetitions for a text that took too long. */
const TRIES = 3;
const GIVEN_UP_MS = 2_000;
/** Fewer literals would mean that the sources were not found. */
const LITERALS_MIN = 500;
/** Tests, test doubles, and build-time code that processes only its own names. */
const NOT_PRODUCT = /\.test\.tsx?$|^daemon\/testing\/|^ui\/(?:vite\.config\.ts|gallery\/)/;
/**
 * Patterns, by file and beginning, that only receive texts of at most `chars` characters. They are tried on texts of
 * that length.
 */
const BOUNDED: readonly { file: string; begin: string; chars: number }[] = [
  // `definedName` skips longer lines.
  { file: 'daemon/features/knowledge/passages/code-passages.ts', begin: '^', chars: 400 },
  // `QUESTION_MAX`, `HEADING_MAX_CHARS`, `MACRO_MAX_CHARS`, `head(80)`, the longest path of a system, a
  // module of at most 121 characters, and templates of our own source.
  { file: 'daemon/features/knowledge/structure/question-forms.ts', begin: '', chars: 300 },
  { file: 'daemon/features/knowledge/project-facts/project-names.ts', begin: '!?\\[', chars: 80 },
  { file: 'daemon/features/knowledge/structure/languages/cpp.ts', begin: '"(?:', chars: 4_000 },
  { file: 'daemon/features/knowledge/structure/languages/cpp.ts', begin: '^return', chars: 80 },
  { file: 'daemon/features/knowledge/project-facts/entry-points.ts', begin: '([^/]*', chars: 4_096 },
  { file: 'daemon/features/knowledge/project-facts/declared-programs.ts', begin: '([A-Z]+)', chars: 121 },
  { file: 'daemon/lib/text/pattern.ts', begin: '\\s*\\n', chars: 4_096 },
  // `PATH_MAX_CHARS`, `NAME_MAX_CHARS` and `MAX_CHARS` beside the pattern.
  { file: 'daemon/features/knowledge/structure/languages/bash.ts', begin: '[^"', chars: 400 },
  { file: 'ui/features/knowledge/file-lines.tsx', begin: '[\\w$]*$', chars: 200 },
  { file: 'ui/lib/format/plain-preview.ts', begin: '', chars: 1_000 },
  // `NAMES_MAX_CHARS` in `readQuestion`.
  { file: 'daemon/features/knowledge/question.ts', begin: '`([^`', chars: 4_096 },
];

/** Result of recheck for one pattern. */
interface Diagnosis {
  status: 'safe' | 'vulnerable' | 'unknown';
  attack?: { string: string };
}
type Check = (source: string, flags: string, params: { timeout: number }) => Diagnosis;

/** Loads recheck, and installs it next to the drills if it is missing. Returns undefined when that fails. */
function recheck(drill: Drill): Check | undefined {
  try {
    if (!existsSync(`${folder}node_modules/recheck/package.json`)) {
      execFileSync('npm', ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'], {
        cwd: folder,
        stdio: 'pipe',
      });
    }
    return (createRequire(import.meta.url)('recheck') as { checkSync: Check }).checkSync;
  } catch (error) {
    drill.notRun('everything', `recheck cannot be installed: ${String(error).split('\n')[0]}`);
    return undefined;
  }
}

const RUN = new Script('text.replace(pattern, "")');

/** Returns the time in milliseconds that the pattern takes for a text, or infinity when it exceeds `GIVEN_UP_MS`. */
function takes({ source, flags }: Pattern, text: string): number {
  const context = createContext({ text, pattern: new RegExp(source, flags) });
  const startedMs = performance.now();
  try {
    RUN.runInContext(context, { timeout: GIVEN_UP_MS });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  return performance.now() - startedMs;
}

const charsFor = ({ at, source }: Pattern) =>
  BOUNDED.find(({ file, begin }) => at.startsWith(`${file}:`) && source.startsWith(begin))?.chars ?? CHARS;
const getName = ({ source, flags, at }: Pattern) =>
  `${at} /${source.length > 80 ? `${source.slice(0, 80)}…` : source}/${flags}`;

/** What the checks of all patterns showed. */
class Findings {
  /** Patterns for which a text of recheck takes long in this engine. */
  readonly vulnerable: string[] = [];
  /** Patterns for which a hostile text takes long. */
  readonly slow: string[] = [];
  readonly undecided: string[] = [];
  /** Number of texts of recheck that do not take long here. */
  harmless = 0;
  /** Number of hostile texts. */
  texts = 0;
  longestMs = 0;
  longest = '';

  constructor(private readonly drill: Drill) {}

  take(pattern: Pattern, { status, attack }: Diagnosis): void {
    // recheck counts steps of its own engine. Only a text that takes long in this engine is an attack.
    if (status === 'vulnerable' && attack) this.attack(pattern, attack.string);
    const worstMs = this.tryHostileTexts(pattern);
    if (status === 'unknown') this.undecided.push(`${pattern.at} ${worstMs.toFixed(0)} ms`);
    if (worstMs > this.longestMs) [this.longestMs, this.longest] = [worstMs, pattern.at];
  }

  private attack(pattern: Pattern, text: string): void {
    const chars = charsFor(pattern);
    const ms = takes(pattern, text.slice(0, chars === CHARS ? undefined : chars));
    if (ms > ANSWERS_WITHIN_MS) this.vulnerable.push(`${getName(pattern)}: ${ms.toFixed(0)} ms`);
    else this.harmless += 1;
  }

  /** Returns the longest time of a text. Stops at the first one that takes too long. */
  private tryHostileTexts(pattern: Pattern): number {
    const { drill } = this;
    let worstMs = 0;
    for (const text of hostileTexts(pattern.source, charsFor(pattern), drill.bound('texts'), drill.dice)) {
      let ms = takes(pattern, text);
      // Repeated, because load from elsewhere on the machine is not the pattern's cost.
      for (let again = 0; ms > ANSWERS_WITHIN_MS && again < TRIES; again += 1) ms = Math.min(ms, takes(pattern, text));
      this.texts += 1;
      worstMs = Math.max(worstMs, ms);
      if (ms > ANSWERS_WITHIN_MS) {
        this.slow.push(`${getName(pattern)}: ${ms.toFixed(0)} ms on ${JSON.stringify(text.slice(0, 24))}…`);
        break;
      }
    }
    return worstMs;
  }
}

await runDrill('patterns', async (drill) => {
  const check = recheck(drill);
  if (!check) return;
  const all = readTree(root, ['daemon', 'ui']).files;
  const { literals, madeLater } = patternsIn(new Map([...all].filter(([path]) => !NOT_PRODUCT.test(path))));
  const patterns = new Map(
    literals.map((pattern) => [`${pattern.source}/${pattern.flags}/${charsFor(pattern)}`, pattern]),
  );
  const findings = new Findings(drill);
  for (const pattern of patterns.values())
    findings.take(pattern, check(pattern.source, pattern.flags, { timeout: drill.bound('ms') }));
  const { vulnerable, slow, undecided, harmless, texts, longestMs, longest } = findings;
  drill.measure({
    measure: 'regular expressions found',
    value: literals.length,
    unit: 'patterns',
    atLeast: LITERALS_MIN,
    said: `${patterns.size} different ones; made of what is known only at run time: ${madeLater.join(', ') || 'none'}`,
  });
  drill.none(
    'patterns with a text on which they take longer than its length explains',
    'patterns',
    vulnerable,
    `${harmless} such texts harmless here`,
  );
  drill.none(
    `patterns that take more than ${ANSWERS_WITHIN_MS} ms for one of ${texts} hostile texts of ` +
      `${CHARS.toLocaleString('en')} characters`,
    'patterns',
    slow,
    `the longest ${longestMs.toFixed(0)} ms, ${longest}`,
  );
  drill.measure({
    measure: 'patterns that are not decided, and only tried on hostile texts',
    value: undecided.length,
    unit: 'patterns',
    atMost: patterns.size / 5,
    said: undecided
      .sort((a, b) => Number(b.split(' ')[1]) - Number(a.split(' ')[1]))
      .slice(0, 8)
      .join(', '),
  });
});
