/** What a question asks of the structure graph. */
export type FormName =
  | 'definition'
  | 'callers'
  | 'uses'
  | 'subclasses'
  | 'implementers'
  | 'callees'
  | 'importers'
  | 'imports'
  | 'dependents'
  | 'parameters'
  | 'default'
  | 'value'
  | 'thrown'
  | 'environment'
  | 'variable'
  | 'routes'
  | 'scripts'
  | 'errors'
  | 'entries'
  | 'parts';

/** Words that say of what kind a name is. */
export const KIND =
  '(?:function|method|class|struct|interface|type|trait|macro|constant|variable|enum|module|file|package|header' +
  '|component|hook|helper|symbol|record|namespace|field|command|script|library|crate|constructor)';
const THE = `(?:(?:the|a|an|our|your|this|my) )?(?:${KIND} )?`;
// A name is one word without quotes; what it may consist of is checked afterwards.
const NAME = '[`"\']?(?<name>[^\\s`"\'?,;]{1,160})[`"\']?';
const X = `${THE}${NAME}(?: ${KIND})?`;
const CODE =
  '(?:function|method|file|class|module|place|piece of code|part|component|package|type|script|test|struct' +
  '|interface|source file|code)(?:es|s)?';
const WHO =
  `(?:who|what|which(?: other)? ${CODE}|what(?: other)? ${CODE}|(?:all |every |the )?(?:other )?(?:${CODE}` +
  '|places?|callers?) (?:that|which|where)|everything that|anything that)(?: all| else)?';
const TAIL =
  '(?: (?:anywhere|here|directly|in (?:this|the) (?:project|repo|repository|codebase|code base|code)|in the code))?';
const CALL = '(?:calls?|invokes?|runs?)';
const USE =
  '(?:uses?|references?|mentions?|refers? to|reads?|consumes?|relies on|rely on|makes? use of|instantiates?|creates?)';
const IMPORT = '(?:imports?|includes?|requires?|loads?|pulls? in)';
const EXTEND = '(?:extends?|inherits?(?: from)?|subclass(?:es)?|derives? from|is derived from|are derived from)';
const IMPLEMENT = '(?:implements?|conforms? to|satisf(?:y|ies))';
const DEFINED = '(?:defined|declared|implemented|located|written|introduced|specified|found|coded)';
const CHANGE =
  '(?:(?:I|we|you|someone|somebody) (?:change|edit|modify|touch|remove|delete|rename|break|alter|update' +
  '|refactor)|(?:changing|editing|modifying|touching|removing|deleting|renaming|altering|refactoring' +
  '|a change (?:to|in|of)|changes (?:to|in)))';

const BREAKS =
  'breaks|would break|will break|could break|may break|might break|can break|' +
  'is affected|would be affected|will be affected|could be affected';
const ENV = '(?:environment variable|env(?:ironment)? var(?:iable)?)';
const BE_AFFECTED =
  '(?:(?:is|are|would be|will be|could be|may be|get|gets) )?(?:affected|breaks?|broken|has to change|have to change)';

interface Pattern {
  form: FormName;
  /**
   * Matches whatever `pattern` matches, and more. V8 compiles a pattern when it first runs, which takes up to 10 ms for
   * one of these, so that only those run that can match.
   */
  needs: RegExp;
  pattern: RegExp;
  isLoose?: boolean;
}

/** `stems` are beginnings of words of which every text of the form holds at least one. */
const form = (name: FormName, stems: string, ...patterns: readonly string[]): Pattern[] => {
  const needs = new RegExp(`(?:${stems.replaceAll(' ', '|')})`, 'i');
  return patterns.map((pattern) => ({ form: name, needs, pattern: new RegExp(`^(?:${pattern})$`, 'i') }));
};
const loose = (name: FormName, stems: string, ...patterns: readonly string[]): Pattern[] =>
  form(name, stems, ...patterns).map((one) => ({ ...one, isLoose: true }));

/** Tried in this order: the first that matches decides. */
export const PATTERNS: readonly Pattern[] = [
  ...form(
    'default',
    'default',
    `what(?:'s| is) the default(?: value)? (?:of|for) (?:the )?(?:parameter|argument|option|param|arg) [\`"']?(?<parameter>[\\w$]{1,80})[\`"']? (?:of|in|for|to) ${X}`,
    `what does [\`"']?(?<parameter>[\\w$]{1,80})[\`"']? default to in ${X}`,
  ),
  ...form(
    'parameters',
    'param arg signature input default',
    `(?:what|which) (?:are|is) (?:the )?(?:parameters?|params?|arguments?|args?|signature|inputs?|defaults?)(?: and (?:their |the )?(?:defaults?|default values?|types?))? (?:of|for|to) ${X}`,
    `(?:what|which) (?:parameters?|params?|arguments?|args?|inputs?)(?: and (?:defaults?|types?))? (?:does|do|can|must) ${X} (?:take|accept|have|expect|need|require|get|receive)s?`,
    `(?:parameters?|params?|arguments?|args?|signature)(?: and (?:their )?defaults?)? (?:of|for|to) ${X}`,
    `what(?:'s| is) the (?:function |method |call )?signature (?:of|for) ${X}`,
    `(?:what|which) defaults? (?:does|do) ${X} (?:have|use)(?: for its (?:parameters|arguments))?`,
  ),
  ...form('parameters', 'how', `how (?:do|can|should) (?:I|we|you) call ${X}`),
  ...form(
    'parameters',
    'take accept expect',
    `what does ${X} (?:take|accept|expect)(?: as (?:parameters?|arguments?|inputs?))?`,
  ),
  ...form(
    'callees',
    'call invok invoc run use',
    `(?:what|which)(?: other)?(?: ${CODE})? (?:does|do|will) ${X} (?:call|invoke|use internally|run)(?: internally| directly)?`,
    `(?:callees|calls) (?:of|made by|in|inside|from) ${X}`,
    `(?:what|which)(?: other)?(?: ${CODE})? (?:is|are|gets?) (?:called|invoked) (?:by|in|inside|within` +
      `|from within) ${X}`,
    `(?:all )?(?:functions|methods) (?:that )?${X} (?:calls|invokes)`,
  ),
  ...form(
    'imports',
    'import include require load depend',
    `(?:what|which)(?: other)?(?: (?:files|modules|packages|headers|dependencies|libraries))? (?:does|do) ${X} (?:import|include|require|load|depend on)`,
    `imports (?:of|in) ${X}`,
    `what(?: is| gets|'s)? imported (?:by|in|into) ${X}`,
  ),
  ...form(
    'dependents',
    'break broken affect chang depend impact blast effect',
    `what (?:else )?(?:${BREAKS}|has to change|changes) (?:if|when|by) ${CHANGE} ${X}`,
    `what (?:else )?(?:${BREAKS}) (?:if|when) ${X} (?:changes|is changed|is removed|is renamed|is deleted` +
      '|is edited|is modified|breaks|goes away)',
    `(?:what|which)(?: other)?(?: ${CODE})?(?: all)? (?:transitively |indirectly )?(?:depends?|are dependent` +
      `|is dependent) (?:up)?on ${X}(?:,? (?:directly or indirectly|directly or not|transitively|indirectly))?`,
    `(?:if|when) ${CHANGE} ${X},? (?:then )?(?:what|which)(?: other)?(?: else)?(?: ${CODE})?(?: else)? ${BE_AFFECTED}`,
    `(?:which|what)(?: other)? ${CODE} (?:is|are|would be|will be|could be|get|gets) affected (?:if|when` +
      `|by) ${CHANGE} ${X}`,
    `(?:which|what)(?: other)? ${CODE} (?:is|are|would be|will be|could be|get|gets) affected (?:if` +
      `|when) ${X} (?:changes|is changed|is removed)`,
    `(?:what(?:'s| is) )?(?:the )?(?:impact|blast radius|effect) (?:of|if|for) (?:${CHANGE} )?${X}(?: changes)?`,
    `(?:dependents|reverse dependencies) of ${X}`,
    `(?:who|what) (?:is|are) (?:the )?dependents of ${X}`,
  ),
  ...form(
    'importers',
    'import includ requir load pull',
    `${WHO} ${IMPORT} ${X}${TAIL}`,
    `(?:who|what) (?:is|are) (?:the )?importers of ${X}`,
    `(?:importers|imports|users by import) of ${X}`,
    `(?:from )?where (?:is|are) ${X} (?:imported|included|required)(?: from)?${TAIL}`,
    `(?:from )?where (?:do we|does the project) (?:import|include|require) ${X}${TAIL}`,
    `(?:in )?(?:which|what) ${CODE} (?:is|are) ${X} (?:imported|included|required)(?: in| by| from)?`,
    `how many ${CODE} ${IMPORT} ${X}${TAIL}`,
  ),
  ...form(
    'subclasses',
    'extend inherit subclass deriv child descend',
    `${WHO} ${EXTEND} ${X}${TAIL}`,
    '(?:what|which) (?:are )?(?:the )?(?:subclasses|children|descendants|derived classes|child classes) (?:of' +
      `|does|do) ${X}(?: have)?`,
    `(?:subclasses|derived classes|child classes|descendants) of ${X}`,
    `where is ${X} (?:extended|subclassed)(?: from)?`,
  ),
  ...form(
    'implementers',
    'implement conform satisf',
    `${WHO} ${IMPLEMENT} ${X}${TAIL}`,
    '(?:what|which) (?:are )?(?:the )?(?:implementations|implementers|implementors|implementing classes) (?:of' +
      `|does|do) ${X}(?: have| exist)?`,
    `(?:implementations|implementers|implementors) of ${X}`,
    `what implementations of ${X} (?:are there|exist)`,
  ),
  ...form(
    'callers',
    'call invok invoc run',
    `${WHO} ${CALL} ${X}${TAIL}`,
    `(?:who|what) (?:is|are) (?:the )?callers of ${X}`,
    `(?:callers|call sites|calls|invocations) (?:of|to|for) ${X}`,
    `(?:from )?where (?:is|are|does|do) ${X} (?:called|invoked|get called)(?: from| by)?${TAIL}`,
    `(?:from )?where (?:do we|does the project) (?:call|invoke) ${X}${TAIL}`,
    `(?:by |from |in )?(?:which|what) ${CODE} (?:is|are|does|do) ${X} (?:get )?(?:called|invoked)(?: in| by| from)?`,
    `(?:does|do) (?:anyone|anybody|anything|any code|something|any ${CODE}) (?:still )?call ${X}${TAIL}`,
    `is ${X} (?:ever |still )?called${TAIL}`,
    `(?:from )?where ${X} (?:is|gets) (?:called|invoked)(?: from)?${TAIL}`,
    'how (?:many|often)(?: times| places| functions| callers| call sites)? (?:is|are|do' +
      `|does)?\\s?${X} (?:called|invoked)${TAIL}`,
    `how many (?:places|functions|callers|files) call ${X}${TAIL}`,
    `every (?:call|caller|call site|place that calls) (?:of|to)? ?${X}`,
  ),
  ...form(
    'variable',
    'env',
    `(?:where|in which ${CODE}) (?:is|does) (?:the )?${ENV} ${NAME} (?:get )?(?:read|used|checked|accessed|looked up|consumed)${TAIL}`,
    `(?:where|in which ${CODE}) (?:is|does) (?:the )?${NAME} ${ENV} (?:get )?(?:read|used|checked|accessed|looked up|consumed)${TAIL}`,
    `${WHO} (?:reads?|uses?|checks?|accesses|looks up|consumes?) (?:the )?${ENV} ${NAME}${TAIL}`,
    `${WHO} (?:reads?|uses?|checks?|accesses|looks up|consumes?) (?:the )?${NAME} ${ENV}${TAIL}`,
  ),
  ...form(
    'uses',
    'us referenc mention refer read consum rel makes instantiat creat',
    `${WHO} ${USE} ${X}${TAIL}`,
    `(?:uses|usages?|references|mentions|users) (?:of|to) ${X}`,
    `(?:who|what) (?:is|are) (?:the )?(?:users|usages|uses|references) (?:of|to) ${X}`,
    `(?:in )?(?:where|which ${CODE}|what ${CODE}) (?:is|are|gets?) ${X} (?:being )?(?:used|referenced|read` +
      `|mentioned|instantiated|created)(?: in| by| from)?${TAIL}`,
    `(?:in )?(?:where|which ${CODE}) (?:do we|does the project) (?:use|reference|read|create) ${X}${TAIL}`,
    `is ${X} (?:ever |still )?(?:used|referenced)${TAIL}`,
    `where ${X} (?:is|gets) (?:used|referenced)${TAIL}`,
    `(?:does|do) (?:anyone|anybody|anything|any code|something) (?:still )?(?:use|reference) ${X}${TAIL}`,
    `how many (?:places|functions|files) use ${X}${TAIL}`,
    `every (?:use|usage|reference) (?:of|to) ${X}`,
  ),
  ...form(
    'thrown',
    'error exception',
    `(?:what|which) (?:errors?|exceptions?|error codes?)(?: codes?| classes?)? (?:does|do|can|could|may|might|will) ${X} (?:throw|raise|return|produce|emit)`,
    `(?:what|which) (?:errors?|exceptions?)(?: codes?)? (?:is|are|can be|may be) (?:thrown|raised|returned) (?:by|in|from) ${X}`,
  ),
  ...form(
    'definition',
    'defin declar implement locat writ introduc specif found cod contain hold has live sourc',
    `(?:in )?(?:where|which file|what file|which module|which line|what line)(?:'s| is| are| was| does)? ${X} ${DEFINED}(?: in)?${TAIL}`,
    `(?:which|what) (?:file|module|package|class|header|place) (?:defines|declares|implements|contains|holds|has)(?: the definition of)? ${X}`,
    `(?:the )?(?:definition|declaration|implementation|location|source)(?: site| code)? (?:of|for) ${X}`,
    'where (?:can|do|could|should|would) (?:I|we|you|one) (?:find|see|look up) (?:the )?(?:definition' +
      `|declaration|implementation|source|code) (?:of|for) ${X}`,
    `where (?:does|do) ${X} live(?: in)?`,
    `(?:in )?(?:where|which file|what file) ${X} (?:is|are|was|gets) ${DEFINED}(?: in)?`,
    `where (?:is|are) (?:the )?(?:definition|declaration|implementation|source)(?: code)? (?:of|for) ${X}`,
    `who (?:defines|declares) ${X}`,
  ),
  ...form(
    'value',
    'value number content default defin set equal have hold contain',
    `what(?:'s| is) the (?:exact |current |actual )?(?:value|number|content) (?:of|for|behind) ${X}`,
    `what(?:'s| is) the default(?: value)? (?:of|for) ${X}`,
    `(?:what|which)(?: value)? (?:is|does|has) ${X} (?:set to|equal(?: to)?|have|default to|hold|defined as|contain)`,
    `(?:the )?(?:default )?value (?:of|for) ${X}`,
    `which value does ${X} have`,
  ),
  ...loose('value', 'how what', `how (?:large|big|long|high|many|much|old|deep) is ${X}`, `what(?:'s| is) ${X}`),
  ...loose('definition', 'where', `where(?:'s| is| are) ${X}`, `where (?:can|do) (?:I|we|you) find ${X}`),
];
