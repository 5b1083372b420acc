import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about how it is built. */
export const BUILD: Lexicon = {
  name: 'build',
  core: [
    /\b(?:build|builds|building|built|rebuild|compil\w+)\b/,
    /\b(?:binary|executable|dist|jar|distributable|transpil\w+)\b/,
  ],
  words: list(`
  build builds building built rebuild rebuilding compile compiles compiled compiling compilation compiler binary
  binaries executable executables artifact artifacts dist produce generate generated create created turn release
  debug production mode makefile configure cmake meson make cargo gradle maven mvn npm yarn bazel autotools
  plain scratch script system invoke run target platform need needed dependencies toolchain tools requirements
  development dev developer version edited changed source-code object output install change clean packaging distro
  tarball ubuntu macos fedora debian go about would myself guess step debugger step-through jar wheel gem tarball library static shared
  c c++ native extension extensions into bundle bundles bundled distributable minified browser transpile transpiled cython
  typescript javascript coffeescript haskell java kotlin scala rust perl ruby ocaml
`),
  strong: [
    pattern`
      \b(?:build|building|compil\w+|install\w*)(?: and install)? (?:a |an |the )?
      (?:debug |release |unminified |static |shared |local |current |whole |development )*
      (?:it|everything|(?:the )?(?:binary|binaries|executable|sources?|library))\b
      (?! (?:url|query|path|index|cache|list|tree|request|response|message|string|plugin|filter|handler)\b)
    `,
    pattern`
      \bit (?:can )?(?:is |be |get |gets |being )?(?:built|compiled|installed)\b
      |\b(?:build|jar|wheel|snapshot|copy) of it\b
    `,
    pattern`
      \b(?:build|building|built|compil\w+|install\w*)\b.*\b(?:from
        |out of) (?:the |its |this |a |my |source |git ?hub |git )*(?:sources?|scratch|source code|folder|git
        |clone|checkout|tarball|tree|sdist|zip)\b
    `,
    pattern`
      \b(?:rake|bundler|cmake|qmake|make|poetry|setuptools|flit|gradle|maven|cargo|npm
        |meson)\b.*\bor\b.*\b(?:rake|bundler|cmake|qmake|make|poetry|setuptools|flit|gradle|maven|cargo|npm
        |meson|gem build)\b
    `,
    /\bbefore (?:make|rake install|pip install|cargo build|npm run build|go build|it compiles|it builds)\b/,
  ],
  not: /\b(?:where|why|when|who|fails?|failed|error|slow|custom)\b/,
};
