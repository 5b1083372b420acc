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
const HEAD_LINES = 12;

/** Returns what the project says of its licence: the manifests' fields first, then its licence files. */
export function findLicence(tree: ProjectTree): ProjectFact[] {
  const fields = FIELDS.flatMap(([path, pattern]) => {
    const at = findLine(tree, path, pattern);
    return at ? [{ sentence: `The licence is ${at.value.trim()}`, path, startLine: at.line, endLine: at.line }] : [];
  });
  const files = tree.paths
    .filter((path) => FILE.test(path))
    .flatMap((path) => {
      const lines = tree.linesOf(path) ?? [];
      const text = lines.slice(0, 60).join(' ').slice(0, 6_000);
      const name = TEXTS.find(([pattern]) => pattern.test(text))?.[1];
      const end = Math.min(HEAD_LINES, lines.length);
      const sentence = name === undefined ? `The licence is in \`${path}\`` : `The licence is ${name}`;
      return end === 0 ? [] : [{ sentence, path, startLine: 1, endLine: end }];
    });
  return [...fields, ...files];
}
