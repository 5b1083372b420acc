import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about the environment variables that are read. */
export const ENVIRONMENT: Lexicon = {
  name: 'environment',
  core: [
    pattern`
      \benv(?:ironment(?:al)?)?[ -]?var(?:iable)?s\b
      |\bvariables (?:from|of|in) (?:the |its )?env(?:ironment)?\b
      |\benvs\b
      |\bgetenvs?\b
      |\bprocess env\b
      |\benv (?:keys|lookups|lines|settings|section|file)\b
    `,
    pattern`
      \benvironment settings\b
      |\b(?:through|via|by|from) (?:the )?env(?:ironment)?\b
      |\b(?:every|any|all) env(?:ironment)? var(?:iable)?\b
    `,
    /\bexport in my shell\b/,
  ],
  words: list(`
  env envs environment environmental environments variable variables var vars getenv lookup lookups look looks
  looked read reads reading use uses used using honour honor honours honors respect respects support supports
  supported recognise recognised recognize recognized accept accepts take takes taken account affect affects
  influence influences change changes control controls configure configured configuration configurable config
  setting settings set sets export exported key keys value values default defaults fetch access accessed accesses
  check checks consult consults available possible known undocumented documented exist exists need needed required
  must before start starting run runs runtime behaviour behavior process dockerfile docker container kubernetes pod
  section fill production python go golang rust java ruby php shell bash c cpp c++ javascript typescript js ts node
  files behaves honoured consulted depend depends time picks picked ops team asks startup recognises respected
  listens complete general fully suite tools debug deploy deployment every all names list full tests test included
  lib src app bin cmd core tweak tweaks tune tunes toggle toggles override overrides enable enables disable disables
  alter alters adjust adjusts customise customize pass passed given give via through affected option options
  excluded aside leave without except build script scripts ci code source sources output result results
`),
  enough: pattern`
      \b(?:which|what|list|enumerate|all|every|names of|show|complete list of)(?: (?:the|of|all|me|is|are|possible
        |known|supported|other))* (?:env(?:ironment(?:al)?)?[ -]?var(?:iable)?s|env (?:var(?:iable)?s?|keys)
        |variables (?:from|of|in) (?:the )?env(?:ironment)?)\b.*\b(?:in|under|within|below|for|by|does|do)[ ]
    `,
  not: /^(?:where|how|why|when)\b(?!.*\bwhich\b)|\benvironment variable (?:does|do|is|to)\b/,
};
