/**
 * The words of newcomers' questions: what may stand beside the words that say what is asked. A word that is in no list
 * is about something particular, which only a search finds. Chosen with
 * `scripts/bench/answers/newcomers/wordings.json`, wordings of others for a project that does not exist.
 */
const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words without a subject of their own in any of these questions: politeness, the machine, the copy, the reader. */
export const COMMON = list(`
  account actual best brief briefly bit blank cannot case check checked clone cloned cloning code codebase colleague
  colleagues command commands compiled computer correct couple course day describe described description directory
  doc docs document documentation documented dont edit edited etc even exact explain explanation fast file files
  folder folders following freshly fresh full fully git give guide hello help hey hi hint howto idea im inside
  instructions intended ive job know laptop left let line lines linux list little locally local location mac machine
  macos manual mean meant moment new morning move moving name named names newcomer next nice normal official only
  open opened package packages patch people person point points prefer procedure proper properly pull quick quickly
  question read readme really recommended request right root sentence sentences shell short shortly show source
  sources specific stand start started step steps story string sure tell terminal thanks team tried trying try type
  typed typing understand usual usually user users want way window windows word words work working write written yet
  somewhere kindly documents repos github gitlab contributor contributors contributing contribute ok whole complete
`);

export const TEST_WORDS = list(`
  test tests tested testing suite suites testsuite spec specs unit integration regression end-to-end e2e automated
  existing all run runs running ran execute executed execution start launch invoke invoked kick trigger perform
  verify pass passes passing green change changes changed changing executing starts pytest jest vitest mocha tox
  cargo gradle maven mvn ctest rspec phpunit pr commit before sending submitting fix fixed typo rule feature build
  target script ci home same going get quick standard tool development developer dev environment needed system
  opening usual fresh me through find
`);

export const BUILD_WORDS = list(`
  build builds building built rebuild rebuilding compile compiles compiled compiling compilation compiler binary
  binaries executable executables artifact artifacts dist produce generate generated create created turn release
  debug production mode makefile configure cmake meson make cargo gradle maven mvn npm yarn bazel autotools
  plain scratch script system invoke run target platform need needed dependencies toolchain tools requirements
  development dev developer version edited changed source-code object output install change clean packaging distro
  tarball ubuntu macos fedora debian go about would myself guess step debugger step-through
`);

export const INSTALL_WORDS = list(`
  install installs installing installed installation installer setup set setting up bootstrap dependency
  dependencies deps requirement requirements prerequisite prerequisites packages libraries manager pip npm brew apt
  cargo onto add added environment development develop developing developer dev hack hacking prepare preparing
  contribute need needed version checkout build run virtualenv copy joined missing imports editor complains depends
  fetch download downloading required must ready virtual ubuntu debian fedora macos windows pc system-wide wide
  quickest developers usually recommended find blank fresh
`);

export const RUN_WORDS = list(`
  run runs running start starts starting launch launching serve serving boot booting execute development dev mode
  production server up
`);

export const LINT_WORDS = list(`
  lint linter linting format formatter formatting reformat type-check typecheck style code run changes
`);

export const LICENCE_WORDS = list(`
  licence licences license licenses licensed licenced licensing spdx identifier copyleft permissive proprietary
  closed open source commercial commercially product products company business terms term conditions condition
  attribution needed redistribute redistribution distribute publish modify modified modifications copy copied parts
  part ship shipped shipping sell allowed allow permitted permission may use used using free public domain released
  release under mit gpl agpl lgpl apache bsd mpl isc unlicense kind type version versions app application audit
  dependencies link linking code ok own internal project legal legally compatible customers installer credit author
  authors
`);

export const ENTRY_WORDS = list(`
  entry entrypoint entrypoints entries point main function functions method class classes module modules file files
  start starts starting started startup begin begins beginning boot boots booting bootstrap launch launches launched
  first first-line run runs running ran executed execute executes execution process called calls call control gets
  get entered loaded load import imports imported require required export exported exports public api interface root
  top-level top front door instantiate instantiated console script command cli binary type types contains contain
  containing hold holds holding behind location defined defines definition breakpoint set debugger very routine
  program flow reading code crate header include from everything enters initial core path lost user library piece
  following supposed level names name exposes expose put invoked one folders
`);

export const ENVIRONMENT_WORDS = list(`
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
  excluded aside leave without except build script scripts ci code source sources
`);

export const PURPOSE_WORDS = list(`
  purpose goal goals aim overview summary summarise summarize sum introduction introduce intro description describe
  about tldr pitch elevator use case cases useful good main functionality functions feature features offer offers
  offered perform performs solve solves problem need needs made exist exists kind sort type thing funny name manager
  technical plain explain explanation job doing point benefit role answer answers something somebody anybody
  software handed nutshell simple terms one-line line what whats high level context general one-paragraph paragraph
  two three sentences investing time idea behind meant daemon database proxy else entirely
`);

export const VERSION_WORDS = list(`
  version versions minimum min oldest newest require requires required need needs needed support supports supported
  supporting language python node nodejs go golang rust java ruby php jdk jre msrv javascript typescript runtime
  works run compatible how
`);
