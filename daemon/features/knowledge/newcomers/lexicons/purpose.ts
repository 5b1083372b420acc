import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';
import { IT } from '../plain-words.js';

/** Questions about what the project is. */
export const PURPOSE: Lexicon = {
  name: 'purpose',
  core: [
    new RegExp(
      `\\bwhat (?:do|does|did|would|can|could) ${IT} (?:\\w+ly |even )*do\\b|\\bwhat (?:${IT} )?(?:\\w+ly ` +
        `|even )*(?:do|does)\\b|\\b${IT} do(?:es)? what\\b|\\bwhat should i say ${IT} does\\b`,
    ),
    new RegExp(
      `\\bwhat(?: is|s| are|'s| am i)? (?:${IT}|looking at)\\b|\\bwhat ${IT} (?:is|does|offers|provides)\\b` +
        `|\\bis ${IT} an? \\w+, an?\\b`,
    ),
    new RegExp(
      `\\b(?:about|explain|describe|introduce|sum up|summari[sz]e|overview of) ${IT}\\b|\\b${IT} (?:overview` +
        '|summary|introduction|description)\\b',
    ),
    pattern`
      \b(?:(?:which|what|the|its|it) purpose|purpose of|overview|summary|description|explanation|tl ?dr
        |elevator pitch|use cases?|(?:main|core) functionality|(?:main|key) features|goals?|aim|idea behind
        |point of (?:it|this)|introduce it|introduction)\b
    `,
    new RegExp(
      `\\bwhat (?:kind|sort|type) of \\w+ is ${IT}\\b|\\bwhat (?:can|could|would|do|should) (?:i|we|you|one` +
        `|people) (?:do with|use) ${IT}\\b|\\bwhy (?:would|should|do|does)\\b.*\\b${IT}\\b|\\bwhat (?:need` +
        `|needs|problem|job) do(?:es)? ${IT}\\b|\\bwhich need does ${IT}\\b`,
    ),
  ],
  words: list(`
  purpose goal goals aim overview summary summarise summarize sum introduction introduce intro description describe
  about tldr pitch elevator use case cases useful good main functionality functions feature features offer offers
  offered perform performs solve solves problem need needs made exist exists kind sort type thing funny name manager
  technical plain explain explanation job doing point benefit role answer answers something somebody anybody
  software handed nutshell simple terms one-line line what whats high level context general one-paragraph paragraph
  two three sentences investing time idea behind meant daemon database proxy else entirely
`),
  not: /\b(?:where|when|who|error|crash|happens|return|returns)\b/,
};
