/**
 * English words that carry no information about what an agent does, and words that are typical of requests for one.
 * Folded. This project has its own list because that of the package `stopword` lacks the latter (`please`, `agent`,
 * `looking`).
 */
export const STOPWORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and another any are as at be because been before being between both but by can could d did do does doing done each either
  else etc even every few for from get gets getting give given gives had has have having he help helps helping her here him his how i if in into is isn it its itself
  just let like ll lot m make makes may me might more most much must my need needed needs no nor not now of off on once one only onto or other our out over own
  please re s same she should so some somebody someone something such t take than that the their them then there these they thing things this those through
  to too under until up upon us ve very want wanted wants was we well were what when where which while who whom whose why will with within without would
  you your yours able agent agents assistant bot service tool using use uses used find looking look`.split(/\s+/),
);
