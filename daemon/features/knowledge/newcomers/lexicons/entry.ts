import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about where a program, or the use of a library, begins. */
export const ENTRY: Lexicon = {
  name: 'entry',
  core: [
    pattern`
      \bentry ?-?points?\b
      |\bentrypoints?\b
      |\bentry (?:function|file|class|module)\b
      |\bfront door\b
      |\bcontains main\b
      |\bcode behind\b
      |\bwhat function does it point to\b
    `,
    pattern`
      \bmain(?: ?\(\))? (?:function|method|program|file|class|routine|module|location)\b
      |\bwhere is (?:the )?main\b
      |\bmain (?:function|file|routine)\b
      |\bfunction main\b
      |\bmain ?\(\)
    `,
    pattern`
      \b(?:where|which|what|how|file|function|find|show|point me)\b.*\b(?:start|starts|starting|started
        |startup|begin|begins|beginning|boot|boots|bootstrap|launched|launches)\b
    `,
    pattern`
      \b(?:function|class|file|module|code|crate|header|package|thing|line|method)\b.*\b(?:first|start with
        |starts with|begin with|import|imports|require|requires|instantiate|include|loaded|launched)\b
    `,
    pattern`
      \bfirst (?:function|thing|code|line|piece|file|class)\b
      |\b(?:run|runs|executed|called|entered|invoked|reached|control) (?:very )?first\b
      |\bwhat (?:runs|gets executed|is executed|gets called)\b
    `,
    pattern`
      \b(?:public|exported) (?:api|interface|types|module|functions?|classes|names)\b
      |\bexported from\b
      |\broot module\b
      |\bcrate root\b
      |\bconsole script\b
      |\bcode behind\b
    `,
    pattern`
      \b(?:load|loads|hand out|hands out|return|returns|get|gets)\b.*\b(?:require|import)\b
      |\b(?:require|requires|import)\b.*\b(?:load|loads|hands? out|returns?|gets?|resolves?)\b
      |\bdefault export\b
      |\bexported by default\b
      |\b(?:class|type|object|struct)\b.*\b(?:user|users|application|applications|app|apps|caller|callers|client|clients
        |program|programs|one|i|we|you)[ ](?:create|construct|instantiate|open)\b
      |\bstartup code\b
      |\bhappens first\b
      |\b(?:central|principal) (?:class|type|object|function|module)\b
      |\b(?:file|class|function|module|one)\b.*\bmain(?: one)?(?: of it)?$
      |^where is (?:the |its )?\S+ main$
      |\b(?:file|function|script|code|module)\b.*\b(?:run|called|executed)\b
    `,
    pattern`
      \b(?:beginning|start|first line) of (?:a |an |the |its |this )?(?:it |whole )?(?:run|execution|program
        |process|invocation|it)\b
      |\bvery (?:start|beginning)\b
    `,
  ],
  words: list(`
  entry entrypoint entrypoints entries point main function functions method class classes module modules file files
  start starts starting started startup begin begins beginning boot boots booting bootstrap launch launches launched
  first first-line run runs running ran executed execute executes execution process called calls call control gets
  get entered loaded load import imports imported require required export exported exports public api interface root
  top-level top front door instantiate instantiated console script command cli binary type types contains contain
  containing hold holds holding behind location defined defines definition breakpoint set debugger very routine
  program flow reading code crate header include from everything enters initial core path lost user library piece
  following supposed level names name exposes expose put invoked one folders requires requiring importing somebody
  someone anybody application applications app apps program programs hand hands out plain return returns default
  central principal configure open work works working create created creates happens happen line command-line shell
  c java python node ruby object objects loads load resolve resolves behind bin script scripts daemon server
`),
  strong: [
    pattern`
      \b(?:run|runs|executed|called|entered|invoked|reached|control) (?:very )?first\b
      |\b(?:first|earliest) (?:\S+ )?(?:function|thing|code|line|piece|method|one|class)\b
      |\bread first\b
      |\bopen first\b
    `,
    pattern`
      \b(?:it|execution|everything) (?:starts?|begins?|boots?)(?: up| running)?(?=$|,| when| at)
      |\bmain (?:function|file|method|module|class)\b
      |\bpublic (?:api|interface|face|items)\b
      |\btop[ -]level api\b
    `,
    pattern`
      \bwhich (?:of the \w+|class|type|struct|function|method|file|module|crate|header|package)\b.*\b(?:first
        |begin with|start with|create|instantiate|construct|outsiders|before (?:any other|the rest)
        |supposed to|owns everything)\b
    `,
    /\bwhere\b.*\b(?:main|begins? to run|starts? executing|starting point|life begins?|being entered)\b/,
    pattern`
      \bbreakpoint\b.*\b(?:beginning|start|startup|first|enters?|very top)\b
      |\breading order\b
      |\b(?:should|do|would|can|must) (?:i|we|you|one) start reading\b
      |\bconsole scripts?\b
      |\bdefault export of it\b
      |\b(?:require|import) of it\b
      |\b(?:requires?|imports?|importing) it\b
      |\bexported to the outside\b
      |\bre-?exports\b
    `,
  ],
  enough: /\bmain ?\(\)|\bentry ?-?points?\b|\bentrypoints?\b|\bvery (?:beginning|start|first)\b/,
  not: pattern`
    \b(?:in what order|in which order|looks? at first|test|tests|error|crash|fails?|slow|server start|shut
      |stop|returns?|argument|plugin)\b
  `,
};
