import { createCssVariablesTheme, createHighlighterCore, type GrammarState, type HighlighterCore } from '@shikijs/core';
import { createJavaScriptRawEngine } from '@shikijs/engine-javascript/raw';

/** A part of a line and its kind; the kind is empty for plain text. */
export interface Piece {
  text: string;
  kind: string;
}

const THEME = createCssVariablesTheme({ name: 'meshd', variablePrefix: '--' });
/** Lines that are highlighted at once. Between two slices the page can react. */
const SLICE = 200;
const LINE_MAX_CHARS = 2_000;

/** The longest wait for idle time between two slices, in milliseconds. */
const IDLE_WAIT_MS = 250;

/** Resolves when the page has nothing more urgent to do. Browsers without idle callbacks go on with the next task. */
const whenIdle = () =>
  new Promise<void>((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: IDLE_WAIT_MS });
    else setTimeout(resolve);
  });

type Grammar = Parameters<HighlighterCore['loadLanguageSync']>[0];

/** The grammars by the endings of files. Each is loaded when a file of its language is opened. */
const GRAMMARS: readonly [endings: string, name: string, load: () => Promise<{ default: Grammar }>][] = [
  ['ts mts cts', 'typescript', () => import('@shikijs/langs-precompiled/typescript')],
  ['tsx jsx', 'tsx', () => import('@shikijs/langs-precompiled/tsx')],
  ['js mjs cjs', 'javascript', () => import('@shikijs/langs-precompiled/javascript')],
  ['py pyi', 'python', () => import('@shikijs/langs-precompiled/python')],
  ['go', 'go', () => import('@shikijs/langs-precompiled/go')],
  ['rs', 'rust', () => import('@shikijs/langs-precompiled/rust')],
  ['java', 'java', () => import('@shikijs/langs-precompiled/java')],
  ['c h', 'c', () => import('@shikijs/langs-precompiled/c')],
  ['cs', 'csharp', () => import('@shikijs/langs-precompiled/csharp')],
  ['rb', 'ruby', () => import('@shikijs/langs-precompiled/ruby')],
  ['sh bash', 'shellscript', () => import('@shikijs/langs-precompiled/shellscript')],
  ['css', 'css', () => import('@shikijs/langs-precompiled/css')],
  ['json', 'json', () => import('@shikijs/langs-precompiled/json')],
  ['yaml yml', 'yaml', () => import('@shikijs/langs-precompiled/yaml')],
  ['toml', 'toml', () => import('@shikijs/langs-precompiled/toml')],
  ['sql', 'sql', () => import('@shikijs/langs-precompiled/sql')],
];

let highlighter: Promise<HighlighterCore> | undefined;

/**
 * Highlights the lines of a file, slice by slice, and gives each slice to `onSlice` until `signal` fires. Does nothing for
 * a language without a grammar here. The regular expressions are native: WebAssembly is forbidden by the pages' policy.
 */
export async function highlight(
  path: string,
  lines: readonly string[],
  onSlice: (slice: Piece[][]) => void,
  signal: AbortSignal,
  sliceLines = SLICE,
): Promise<void> {
  const ending = path.split('.').at(-1)?.toLowerCase() ?? '';
  const grammar = GRAMMARS.find(([endings]) => endings.split(' ').includes(ending));
  if (!grammar) return;
  const [, lang, load] = grammar;
  highlighter ??= createHighlighterCore({ themes: [THEME], langs: [], engine: createJavaScriptRawEngine() });
  const [shiki, { default: loaded }] = await Promise.all([highlighter, load()]);
  await shiki.loadLanguage(loaded);
  let grammarState: GrammarState | undefined;
  for (let at = 0; at < lines.length && !signal.aborted; at += sliceLines) {
    const tokens = shiki.codeToTokensBase(lines.slice(at, at + sliceLines).join('\n'), {
      ...{ lang, theme: 'meshd', tokenizeMaxLineLength: LINE_MAX_CHARS },
      ...(grammarState && { grammarState }),
    });
    grammarState = shiki.getLastGrammarState(tokens);
    onSlice(
      tokens.map((line) =>
        line.map(({ content, color }) => ({ text: content, kind: /--token-(\w+)/.exec(color ?? '')?.[1] ?? '' })),
      ),
    );
    await whenIdle();
  }
}
