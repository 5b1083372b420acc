/** A published code base of somebody else, fixed by version and digest. */
export interface CodeBase {
  name: string;
  language: string;
  /** A package of npm, or a source package of Debian, of which the original archive is unpacked. */
  from: { npm: string } | { debian: string };
  /** SHA-256 of the archive, in hex. */
  sha256: string;
  /**
   * `open` ones may be looked at by whoever changes the ranking. `locked` ones are seen by the report only, and what is
   * claimed in public comes from them alone.
   */
  half: 'open' | 'locked';
  /** Paths of the archive that its repository does not have: what a build has made. */
  leaveOut?: RegExp;
}

/** Sixteen code bases in eight languages; each language has one in either half. */
export const CODE_BASES: readonly CodeBase[] = [
  {
    name: 'pino',
    language: 'JavaScript',
    from: { npm: 'pino@10.4.0' },
    sha256: 'f745d3dee0bddd39f11226335ee6dbbe3d49cc037168f2b31a8cdbe78f0e6216',
    half: 'open',
  },
  {
    name: 'webpack',
    language: 'JavaScript',
    from: { npm: 'webpack@5.112.2' },
    sha256: 'fb618a5eba0f16fa43ed720cc4634df4e88c65d594c0e0ad2c5c0c9be4057dfe',
    half: 'locked',
  },
  {
    name: 'zod',
    language: 'TypeScript',
    from: { npm: 'zod@4.6.7' },
    sha256: '84efd155bed93270286e793fc951be270b536cbd5b0eeb111f0fa3967201d698',
    half: 'open',
    leaveOut: /^(?!src\/|README|LICENSE|package\.json)/,
  },
  {
    name: 'rxjs',
    language: 'TypeScript',
    from: { npm: 'rxjs@7.8.2' },
    sha256: '2312f8ffd9726ffd7bd53ea12c5f13663d09a3dc3326f448c70b88f5ef6fac82',
    half: 'locked',
    leaveOut: /^dist\//,
  },
  {
    name: 'jinja2',
    language: 'Python',
    from: { debian: 'jinja2' },
    sha256: '31351a702a408a9e7595a8fc6150fc3f43bb6bf7e319770cbc0db9df9437e852',
    half: 'open',
  },
  {
    name: 'rich',
    language: 'Python',
    from: { debian: 'rich' },
    sha256: '728e0ad25de9448fedee56acaa3219207e7c98d9d56fda5cfd5daa5d254acaac',
    half: 'locked',
  },
  {
    name: 'golang-github-spf13-cobra',
    language: 'Go',
    from: { debian: 'golang-github-spf13-cobra' },
    sha256: 'f38f8b26895903be06089ff20882fc771dbca12f41cf81d7bd823be65e6cec52',
    half: 'open',
  },
  {
    name: 'caddy',
    language: 'Go',
    from: { debian: 'caddy' },
    sha256: 'b6f92ee37462851e125c2c725a2a7fefa045a46478eeb4e751f24c9a827e8668',
    half: 'locked',
  },
  {
    name: 'rust-bat',
    language: 'Rust',
    from: { debian: 'rust-bat' },
    sha256: '390af597f3bece93f693ecfabbcc182b2ca473c8e29fcfdb2374b5e86207e4b5',
    half: 'open',
  },
  {
    name: 'rust-ripgrep',
    language: 'Rust',
    from: { debian: 'rust-ripgrep' },
    sha256: 'f37c9d2c2bc7e00bd2653e13771397b94e452583da9b9494eabef627618d64bf',
    half: 'locked',
  },
  {
    name: 'jq',
    language: 'C',
    from: { debian: 'jq' },
    sha256: '3ba940b97571c866923f0409678033d33b5a98758dfc174fad8397ed908bc4d9',
    half: 'open',
  },
  {
    name: 'redis',
    language: 'C',
    from: { debian: 'redis' },
    sha256: '4b1dc4ee6d622a09fff9c6777191209750fb5e5a725ef78ea012d6eef4c22982',
    half: 'locked',
  },
  {
    name: 'spdlog',
    language: 'C++',
    from: { debian: 'spdlog' },
    sha256: '620ca6842b5c21014470bd42eb4716024674214fb973b5ffa3aaea33310ad327',
    half: 'open',
  },
  {
    name: 'fmtlib',
    language: 'C++',
    from: { debian: 'fmtlib' },
    sha256: '84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583',
    half: 'locked',
  },
  {
    name: 'jsoup',
    language: 'Java',
    from: { debian: 'jsoup' },
    sha256: '052511f0be47511f9b2a17d44fc1eccc4b5373e77cc5a3221e34b6af437e1e2e',
    half: 'open',
  },
  {
    name: 'picocli',
    language: 'Java',
    from: { debian: 'picocli' },
    sha256: '884e0bef7fb8fc79d22420f04a5c538a89203a6946d43b6370157d293d7cdb40',
    half: 'locked',
  },
];
