import { findLine, type ProjectFact, type ProjectTree } from './project-fact.js';

/** The first words of licences, and their SPDX identifiers. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\bMIT License\b|Permission is hereby granted, free of charge/i, 'MIT'],
  [/Apache License/i, 'Apache-2.0'],
  [/GNU AFFERO GENERAL PUBLIC LICENSE/i, 'AGPL-3.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE/i, 'LGPL'],
  [/GNU GENERAL PUBLIC LICENSE/i, 'GPL'],
  [/Mozilla Public License/i, 'MPL-2.0'],
  [/\bISC License\b/i, 'ISC'],
  [/Eclipse Public License[ -]*(?:v(?:ersion)? ?)?2/i, 'EPL-2.0'],
  [/Eclipse Public License[ -]*(?:v(?:ersion)? ?)?1/i, 'EPL-1.0'],
  [/Eclipse Distribution License/i, 'BSD-3-Clause (Eclipse Distribution License)'],
  [/European Union Public Licen[cs]e/i, 'EUPL'],
  [/COMMON DEVELOPMENT AND DISTRIBUTION LICENSE/i, 'CDDL'],
  [/Creative Commons Zero|CC0 1\.0/i, 'CC0-1.0'],
  [/PYTHON SOFTWARE FOUNDATION LICENSE/i, 'PSF-2.0'],
  [/Artistic License/i, 'Artistic'],
  [/PostgreSQL License/i, 'PostgreSQL'],
  [/This software is provided 'as-is', without any express or implied/i, 'Zlib'],
  [/DO WHAT THE FUCK YOU WANT/i, 'WTFPL'],
  [/Boost Software License/i, 'BSL-1.0'],
  [/This is free and unencumbered software/i, 'Unlicense'],
  [/Redistribution and use in source and binary forms/i, 'BSD'],
];
const FILE = /^(?:licen[cs]e|copying|unlicen[cs]e)(?:[._-][\w-]+)?(?:\.(?:md|txt|rst))?$/i;
const FIELDS: readonly (readonly [string, RegExp])[] = [
  ['package.json', /"license"\s*:\s*"([^"]{1,80})"/],
  ['Cargo.toml', /^license\s*=\s*"([^"]{1,80})"/],
  ['pyproject.toml', /^license\s*=\s*(?:\{\s*text\s*=\s*)?"([^"]{1,80})"/],
  ['setup.cfg', /^license\s*=\s*(\S.{0,80})/],
  ['setup.py', /\blicense\s*=\s*['"]([^'"]{1,80})['"]/],
  ['composer.json', /"license"\s*:\s*"([^"]{1,80})"/],
];
const GEM = /^\s*\w+\.licen[cs]es?\s*=\s*\[?\s*['"]([^'"]{1,80})['"]/;
/** Licences as a sentence names them, and their SPDX identifiers. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/\bAGPL[- ]?v?3/i, 'AGPL-3.0'],
  [/\bLGPL[- ]?v?3/i, 'LGPL-3.0'],
  [/\bLGPL[- ]?v?2\.1/i, 'LGPL-2.1'],
  [/\bGPL[- ]?v?3/i, 'GPL-3.0'],
  [/\bGPL[- ]?v?2/i, 'GPL-2.0'],
  [/\bApache(?:[- ]License,?)?[- ](?:version )?2/i, 'Apache-2.0'],
  [/\bBSD[- ]3|\b3-clause BSD\b/i, 'BSD-3-Clause'],
  [/\bBSD[- ]2|\b2-clause BSD\b/i, 'BSD-2-Clause'],
  [/\bMIT\b/, 'MIT'],
  [/\bISC\b/, 'ISC'],
  [/\bBSD\b/, 'BSD'],
];
/** How a note says what applies. */
const SAYS = /\b(?:licen[cs]ed|released|distributed|available|published) under\b(.{1,160})/i;
const HEAD_LINES = 12;
/** A shorter file holds no licence but says under which ones the project stands. */
const NOTE_MAX_CHARS = 1_000;

/** Returns the SPDX identifier of the licence that `text` names first: one licence may mention others further down. */
function nameLicence(text: string): string | undefined {
  const all = TEXTS.map(([pattern, name]) => ({ name, at: text.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  // A note such as "dual licensed under …"; a licence that mentions others is longer, or is no list of them.
  if (all.length > 1 && /\b(?:dual|multi|either|both)\b/i.test(text) && text.length <= NOTE_MAX_CHARS)
    return all.map(({ name }) => name).join(' and ');
  const found = all[0];
  if (!found) return nameInNote(text);
  if (found?.name === 'BSD') return nameBsd(text);
  if (found?.name !== 'GPL' && found?.name !== 'LGPL') return found?.name;
  const version = /Version ([\d.]*\d)/.exec(text.slice(found.at, found.at + 120))?.[1];
  return version === undefined ? found.name : `${found.name}-${version.includes('.') ? version : `${version}.0`}`;
}

/** Returns the licence of a file that holds none but says which one applies. */
function nameInNote(text: string): string | undefined {
  const said = SAYS.exec(text)?.[1];
  return said === undefined ? undefined : NAMED.find(([pattern]) => pattern.test(said))?.[1];
}

function nameBsd(text: string): string {
  if (/\badvertising materials\b/i.test(text)) return 'BSD-4-Clause';
  return /\bnor the names? of\b|\bneither the names?\b/i.test(text) ? 'BSD-3-Clause' : 'BSD-2-Clause';
}

/** Returns what the project says of its licence: the manifests' fields first, then its licence files. */
export function findLicence(tree: ProjectTree): ProjectFact[] {
  const gems = tree.paths.filter((path) => /^[\w-]+\.gemspec$/.test(path)).map((path) => [path, GEM] as const);
  const fields = [...FIELDS, ...gems].flatMap(([path, pattern]) => {
    const at = findLine(tree, path, pattern);
    return at ? [{ sentence: `The licence is ${at.value.trim()}`, path, startLine: at.line, endLine: at.line }] : [];
  });
  const files = tree.paths
    .filter((path) => FILE.test(path))
    .flatMap((path) => {
      const lines = tree.linesOf(path) ?? [];
      const text = lines.slice(0, 60).join(' ').slice(0, 6_000);
      const name = nameLicence(text);
      const end = Math.min(HEAD_LINES, lines.length);
      const sentence = name === undefined ? `The licence is in \`${path}\`` : `The licence is ${name}`;
      return end === 0 ? [] : [{ sentence, path, startLine: 1, endLine: end }];
    });
  return [...fields, ...files];
}
