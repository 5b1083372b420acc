import { findLine, type ProjectFact, type ProjectTree } from './project-fact.js';

const FIELDS: readonly (readonly [string, RegExp, (value: string) => string])[] = [
  ['package.json', /^\s*"node"\s*:\s*"([^"]{1,60})"/, (value) => `It needs Node.js ${value}`],
  ['pyproject.toml', /^(?:requires-python|python)\s*=\s*"([^"]{1,60})"/, (value) => `It needs Python ${value}`],
  ['setup.cfg', /^python_requires\s*=\s*(\S.{0,60})/, (value) => `It needs Python ${value}`],
  ['setup.py', /\bpython_requires\s*=\s*['"]([^'"]{1,60})['"]/, (value) => `It needs Python ${value}`],
  ['go.mod', /^go\s+([\d.]{1,20})/, (value) => `It needs Go ${value}`],
  ['Cargo.toml', /^rust-version\s*=\s*"([^"]{1,20})"/, (value) => `It needs Rust ${value}`],
  ['Cargo.toml', /^edition\s*=\s*"(\d{4})"/, (value) => `It is written in the ${value} edition of Rust`],
  [
    'pom.xml',
    /<(?:maven\.compiler\.(?:source|release|target)|java\.version|release|source)>([\d.]{1,10})</,
    (value) => `It is compiled for Java ${value}`,
  ],
  [
    'build.gradle',
    /(?:sourceCompatibility|languageVersion)\D{1,40}([\d.]{1,10})/,
    (value) => `It is compiled for Java ${value}`,
  ],
  ['CMakeLists.txt', /\bCMAKE_CXX_STANDARD\s+(\d{2})/, (value) => `It is compiled as C++${value}`],
  ['CMakeLists.txt', /\bcxx_std_(\d{2})/, (value) => `It is compiled as C++${value}`],
  ['composer.json', /^\s*"php"\s*:\s*"([^"]{1,60})"/, (value) => `It needs PHP ${value}`],
];

/** Returns which versions of its language the project asks for, by its manifests. */
export function findLanguageVersions(tree: ProjectTree): ProjectFact[] {
  return FIELDS.flatMap(([path, pattern, say]) => {
    const at = findLine(tree, path, pattern);
    return at ? [{ sentence: say(at.value.trim()), path, startLine: at.line, endLine: at.line }] : [];
  });
}
