import { stemWord } from '../../../lib/text/words.js';

// Adds the part before the apostrophe: a contraction is split into two words, and `doesn't` yields `doesn`.
const toWordSet = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .flatMap((word) => [word, word.split("'")[0] as string]),
  );

/**
 * Folded words without meaning of their own in a question. The English list of the `stopword` package has only 108
 * words and lacks those that are meaningless in questions only (`find`, `works`, `exactly`).
 */
export const STOPWORDS = toWordSet(`
a about above across actually after again against ahead all allow allowed allows almost along already also although always am among amount an and
another any anybody anyone anything anyway apart are aren aren't around as ask at away back be became because become becomes been before
behind being below beside besides best better between beyond both but by came can can't cannot case cause certain come comes could couldn't
did didn't do does doesn't doing don don't done down during each either else end ends enough even ever every everything exactly explain few find first for
found from further gave get gets getting give given gives go goes going gone good got had happen happened happening happens has hasn't have haven't
having he help her here hers him his how however i i'd i'll i'm i've if in inside instead into is isn't it it's its itself just keep
keeps kind know known last least less let let's lets like likely little ll look looking looks lot made mainly make makes making many
may maybe me mean means might mine more most much must my myself near need needed needs never next no none nor not nothing now of off often
ok okay on once one ones only onto or other others our ours ourselves out over own part particular per perhaps place please point possible
put quite rather re really regarding right said same say says see seem seems seen several shall she should show shown shows simply since so
some somebody somehow someone something sometimes somewhere soon sort still such supposed sure take taken takes talk tell tells than thank thanks that that's the
their theirs them themselves then there there's these they thing things think this those though through thus to together too took
toward towards tried trying turn turns two under until up upon us use used useful uses using usually ve very via want wanted wants was wasn't way
ways we well went were weren't what what's whatever when where where's wherever whether which while who who's whole whom whose why will
willing with within without won't wonder would wouldn't yes yet you you'd you'll your yours yourself exist exists describe described
main responsible situation situations purpose work works working able anywhere possibly actual currently exact long far old happens involved
`);

/** Words for the project as a whole. In a question they only name the place to search, which is always this project. */
export const PROJECT_WORDS = toWordSet(`
project projects repo repository codebase app application program software library package module tool framework code source this product system
`);

/**
 * Groups of words that a question and a code base may use for the same concept. Written by hand, because the synonyms
 * of general English (WordNet) are those of other trades: `bench -- answers` showed no gain by them.
 */
const SAME_THING: readonly (readonly string[])[] = `
start run launch boot bootstrap startup begin execute invoke
stop close shutdown terminate exit kill quit halt end
delete remove unlink drop erase clear destroy clean
create make new build add generate construct
install setup setting getting
configure config configuration option options setting settings preference customize customise
limit max maximum cap ceiling threshold upper bound largest biggest highest longest
min minimum least smallest lowest oldest earliest
default fallback preset standard
timeout deadline expire expiry expiration ttl
wait delay pause timeout
error exception fail failure fault throw crash raise
log logger logging logs
print display show output emit dump
function method procedure routine callback
folder directory dir path
file document
argument parameter param params args arguments
env environment variable
auth authentication authorization authorisation login authenticate credential
size length bytes limit
database db store storage
test tests testing spec
listen bind port address
request req
response reply res answer
route routing endpoint url path
url uri link address
header headers
send emit dispatch write transmit
receive accept read
parse parser parsing decode
serialize serializer serialization stringify encode
validate validator validation check verify
convert transform coerce coercion cast
plugin extension addon module
hook lifecycle event callback listener
register registration add attach mount
why reason motivation rationale
async asynchronous promise await
sync synchronous
cache cached caching memoize
version release
upgrade update migrate migration
deprecate deprecated obsolete warning
override overwrite replace custom customize
ignore skip exclude omit disable
enable allow permit turn activate
disable off forbid prevent
proxy forward trust
type types typing typescript
platform os system
windows win win32
mac macos darwin osx xcode
linux unix posix
download fetch retrieve
search find lookup locate discover detect
compile build compiler compilation
compiler toolchain
command cmd cli subcommand
flag option switch argument
dependency dependencies requires requirement requirements prerequisite
list enumerate all
prefix namespace
duplicate twice repeated
identifier id ident
unique distinct
encrypt encryption tls ssl https certificate
security vulnerability
report disclose disclosure
contribute contributing contribution contributor
license licence copyright
maintain maintainer maintained support supported lts
schema schemas jsonschema
query querystring search
body payload content
cookie session
redirect location
status code
order sequence precedence priority
before prior pre
after post
nested nesting encapsulation encapsulate scope scoped isolate isolation
share shared reuse
extend decorate decorator augment
stream streaming pipe
connection socket
client consumer caller browser
abort aborted cancel disconnect hang hung
parallel concurrent concurrency simultaneous
job worker thread
memory heap ram
cpu cpus core cores processor parallel
fast performance speed quick benchmark
slow latency
string text
number integer int
boolean bool flag
empty blank missing absent
wrong invalid incorrect malformed bad
merge combine join concat
split separate divide
sort order
filter match select
copy clone duplicate
rename move
exist present
inherit inheritance extends
interface protocol contract
variable constant
expand expansion interpolate substitution
condition conditional if
python py
javascript js
typescript ts
repository repo
deploy deployment hosting serverless production
container docker
latest newest recent
host hostname
case insensitive sensitive
character char
slash trailing
unknown unrecognized unsupported
lowercase case
`
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));

const related = new Map<string, string[]>();
for (const group of SAME_THING) {
  for (const word of group) {
    const own = stemWord(word);
    related.set(own, [...new Set([...(related.get(own) ?? []), ...group.filter((other) => stemWord(other) !== own)])]);
  }
}

/** Returns the words that may replace any form of `word` (folded) in other texts. Empty for an unknown word. */
export function getSynonyms(word: string): readonly string[] {
  return related.get(stemWord(word)) ?? [];
}
