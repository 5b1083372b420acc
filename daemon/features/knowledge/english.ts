import { stemWord } from '../../lib/text/words.js';

// Adds the part before the apostrophe: a contraction is split into two words, and `doesn't` yields `doesn`.
const listed = (text: string): ReadonlySet<string> =>
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
export const STOPWORDS = listed(`
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
export const PROJECT_WORDS = listed(`
project projects repo repository codebase app application program software library package module tool framework code source this product system
`);

/**
 * Common English words that are not specific to one code base. A question with such a word can be answered even when
 * the project does not contain it. Any other unknown word indicates that the question's subject does not exist here.
 */
const COMMON_WORDS = listed(`
variable variables constant constants function functions method methods class classes parameter parameters argument arguments field fields module modules environment script scripts interface
adopt author authors accept access according account achieve act action active activity actual add added adding addition additional address adjust advance advice affect afterwards age
agree aim allow alone alternative anger announce annoying answer appear apply approach appropriate area argue arrange arrive article aside assume attach attempt
attention automatic automatically available avoid aware bad bail balance bare base based basic basis bear beat beforehand begin beginning behave behavior behaviour believe belong belongs
benefit big bit blow board body book border bother bottom bound box break breaks bring broad broke broken brought build builds built bump bunch burn business busy busier
button buy bypass calculate call called caller calls capable care carefully carry catch caught ceiling central certainly chance change changed changes
changing character charge cheap check checked checks child choice choose chosen chunk claim clean clear clearly click clock close closed closely closing coming
collect collection combination combine comfortable command comment common commonly community company compare comparison complain complaint complete completed completely
complex compose concern condition conditions confirm confuse confused confusing connect consider considered consist consistent constant contact contain contained contains content
context continue contribute contributor control convenient conversion convert cool copy core corner correct correctly cost count couple course cover covered create
created creating creation critical cross current custom customise customize cut daily damage danger dangerous date day days dead deal decide
decided decides decision declare declared deep defeat define defined defines definition degree delay delete demand deny depend depends describe
deserve design desire desired despite detail details detect determine determines develop developer developers development die differ difference different differently difficult direct direction directly
disable disappear discover discuss display distance distinct distribute divide document double doubt drain draw drive drop dropped drops due duplicate duration
dying early easily easy edge edit effect effective effort elsewhere emit empty enable enabled encounter encourage ended ending enforce engage enjoy ensure ensures enter
entire entirely entry equal equivalent escape especially essential establish estimate event eventually everyone everywhere evidence exactly examine example examples
except exception exchange excluded exclude existing expand expect expected experience expert explicit explicitly expose exposed extend extent extra extremely eye face
fact fail failed failing fails failure fairly faith fall falls false familiar family fashion fast faster favor feature features feed feel field fight figure
file fill final finally finds fine finish finished finishes fire fit fits fix fixed flag flow focus follow followed following follows forbid force forced forces forever
forget forgot form formal format former forward free fresh friend front full fully fun function fundamental future gain gap gather general generally generate
generated generates generation giving glance global goal grab gracefully grant great green ground group grow growing grows guarantee guard guess guide half halt hand handed handing handle handled handler handles
handling hands handy hang hangs hard hardly hate head hear heavy held helper helpful hidden hide high higher highest hint hit hold holds hole home honor honour hook
hope host hour hours house huge human hundred idea ideal identical identify ignore ignored ignores imagine immediate immediately impact implement implementation implemented
implements imply import importance important imposes impose impossible improve include included includes including incoming increase indeed indicate individual info inform information initial initially inner
input insist insert inspect instance instances instruction instructions integrate intend intended intent interest interested interesting internal internally interpret introduce introduced invalid
invoke invoked involve involves issue issues item items job join joined jump keeping kept key kick kicks kill killed kinds knob knock knowledge lack land language large largest late later latest
launch layer lazy lead leads leak learn leave leaves leaving led left legal length let letting level lie life lifetime lift light limit limited line lines link list listed listen
lists live lives living load loaded loads local locate located location locations log logic longer longest loop loose lose losing lost loud low lower lowest machine main maintain maintained maintainer maintainers major
majority manage managed manner manual manually map mark marked match matched matches matter maximum meaning meant measure mechanism meet member memory mention mentioned merely
merge message messages met method middle mind minimal minimum minor minute minutes miss missed misses missing mistake mix mixed mode model modern modify moment month
moreover morning mostly mount move moved moves moving multiple name named names narrow native natural nature nearby nearly necessary neither network new newer newest nice
night noise noisy none nonetheless normal normally note noted notes notice notify number numbers object obtain obvious occasion occur occurs odd offer offered offers official older open
opened opens operate operation opinion opposed opposite option optional options order ordinary organise organize origin original outcome outer output outright outside overall overwrite owner
owns pack page paid pair paper parallel parent partial partially parts party pass passed passes passing past path pattern pause pay people perfect perform performed performs period permanent
permit permitted person pick picked picking picks picture piece pieces place placed plain plan plans play pleasant plenty plug points policy poor popular position
positive possibility post potential power powerful practical practice precise prefer preferred prepare presence present preserve press pretty prevent prevents previous previously price primary
principle print printed prints prior private probably problem problems procedure proceed process produce produced produces production professional progress prohibit project promise proper properly property
propose protect protected proven provide provided provider provides public publish pull punish push quality quantity question questions quick quickly quiet quietly raise raised raises random range
rapid rare rate raw reach reached reaches react reaction read readable reading reads ready real reality reason reasons receive received receives recent recently recognise
recognize recommend recommended record recover red reduce refer reference refers reflect refuse refused refuses regard region regular reject rejected rejects relate related relation relationship relative
release released relevant reliable rely remain remaining remains remark remember remind remote remove removed removes rename repair repeat replace replaced report reported
represent request require required requirement requirements requires rescue reserve reset resolve resolved resource resources respect respond response rest restart restore restrict restricted result resulting results resume
retain retry return returned returns reuse reveal reverse review rewrite rid rise risk role roll room root rough roughly round route row rule rules run running runs
safe safely safety sake sample satisfied save saved scale scan schedule scheme scope scratch screen search second seconds secret section secure seek select selected send
sending sends sense sensible sent separate separately sequence series serious serve served serves service session set sets setting settings settle setup shape share shared sharing ship ships
short shorter shortest shut shuts side sign signal silence silent silently similar simple simpler simplest simultaneously single sit site size sizes skip skipped skips sleep slightly slow slower small smaller smallest
smart smooth soft sole solution solve sooner source sources space spare speak special specific specifically specified specify speed spend split spot spread stable stage
stand standard stands start started starting starts startup state stated statement static status stay stays step steps stick stop stopped stops storage store
stored stores story straight strange strategy strict strictly string strip strong structure stuck stuff style subject submit substitute succeed success successful successfully sudden suddenly
suffer suggest suggested suit suitable sum supply support supported supports surface surprise survive survives suspect switch switched symbol table tail taking target task team technique technology temporary ten
tend term terms test tested text thereafter thorough thought thousand thread threat threshold throw thrown throws tidy tie tied tight tiny title told tone tool top topic total touch tough
track trade traffic train transfer transform treat treated treatment trick tricky tries trigger triggered triggers trip trouble true trust truth try tuned turned turning twice type types typical typically ultimate
unable unclear underlying understand understood undo unexpected unfinished unfortunately unhappy unique unit unknown unless unlike unlimited unnecessary unset unsupported unusual upcoming update updated updates upper urgent usage user users usual valid value
values variety various vary vast verify version versions view visible visit wait waiting waits walk wants warn warned warning wasn watch weak wear week weird wide width wild win window wise wish wonder
word words worry worse worst worth wrap wrapped write writes writing written wrong wrote year years yesterday young zero
`);

/** Groups of words that a question and a code base may use for the same concept. */
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
windows win win32 msvs visual
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
mirror dist-url disturl
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

const commonStems = new Set([...COMMON_WORDS, ...STOPWORDS].map(stemWord));

/** Whether `word` (folded) is a form of a common English word, also with the prefix `un`, `re`, `non` or `pre`. */
export function isCommon(word: string): boolean {
  return (
    commonStems.has(stemWord(word)) || commonStems.has(stemWord(word.replace(/^(?:un|re|non|pre)(?=\p{L}{4})/u, '')))
  );
}

/** Returns the words that may replace any form of `word` (folded) in other texts. Empty for an unknown word. */
export function relatedWords(word: string): readonly string[] {
  return related.get(stemWord(word)) ?? [];
}
