/** Malicious text. Each piece of markup would set `window.struck` if it ran. */
export const SCRIPT = '<script>window.struck = 1</script>';
export const IMAGE = '<img src=x onerror="window.struck = 2">';
const FRAME = '<iframe srcdoc="<script>parent.struck = 3</script>"></iframe>';
const LINK = '[press](javascript:window.struck=4) <a href="javascript:window.struck=5">here</a>';
const FAR =
  '![far](http://evil.test/pixel.png) <img src="http://evil.test/pixel.png"> <link rel=stylesheet ' +
  'href="http://evil.test/s.css">';
const MARKDOWN =
  '[data](data:text/html,<script>struck=6</script>) <svg onload="window.struck=7"></svg> ' +
  '<style>*{display:none}</style>';
export const REVERSED = 'before\u202Egnp.exe\u2066after';
export const LONG = 'unbroken'.repeat(60);
export const HOSTILE = [SCRIPT, IMAGE, FRAME, LINK, FAR, MARKDOWN, REVERSED].join('\n\n');

/** Ten thousand characters without a line-break opportunity. */
const UNBROKEN = 'W'.repeat(10_000);

/** One example of each known attack: markup, URLs, Markdown, invisible characters, and scripts of other languages. */
export const CORPUS: readonly string[] = [
  SCRIPT,
  IMAGE,
  FRAME,
  '<svg/onload=struck=10>',
  '<svg><script>struck=11</script></svg>',
  '<svg><animate onbegin=struck=12 attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:struck=13"><text x=20 y=20>svg</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=struck=14>',
  '<math href="javascript:struck=15">math</math>',
  '<body onload=struck=16>',
  '<details open ontoggle=struck=17><summary>open</summary>',
  '<input autofocus onfocus=struck=18>',
  '<video src=x onerror=struck=19></video>',
  '<audio src="http://evil.test/a.mp3" autoplay>',
  '<object data="data:text/html,<script>struck=20</script>">',
  '<embed src="http://evil.test/e.swf">',
  '<base href="http://evil.test/">',
  '<meta http-equiv=refresh content="0;url=http://evil.test/">',
  '<link rel=prefetch href="http://evil.test/p">',
  '<style>@import "http://evil.test/s.css"; * { display: none }</style>',
  '<div style="background:url(http://evil.test/b.png)">style</div>',
  '<form action="http://evil.test/"><button>send</button></form>',
  '<template><script>struck=21</script></template>',
  '<noscript><p title="</noscript><img src=x onerror=struck=22>">',
  '<!--><img src=x onerror=struck=23>-->',
  '<![CDATA[<script>struck=24</script>]]>',
  '</script><script>struck=25</script>',
  '</textarea></title></style><img src=x onerror=struck=26>',
  '"><img src=x onerror=struck=27>',
  "' onmouseover='struck=28' x='",
  '` onmouseover=struck=29 x=`',
  '&lt;script&gt;struck=30&lt;/script&gt;',
  '&#60;img src=x onerror=struck=31&#62;',
  '\\u003cscript\\u003estruck=32\\u003c/script\\u003e',
  '%3Cscript%3Estruck=33%3C/script%3E',
  '<scr<script>ipt>struck=34</scr</script>ipt>',
  '<ſcript>struck=35</ſcript>',
  LINK,
  '[a](JaVaScRiPt:struck=36) [b](java\tscript:struck=37) [c](&#106;avascript:struck=38)',
  '[d](vbscript:struck=39) [e](data:text/html;base64,PHNjcmlwdD5zdHJ1Y2s9NDA8L3NjcmlwdD4=)',
  '[f](<javascript:struck=41>) [g][h]\n\n[h]: javascript:struck=42',
  '<javascript:struck=43> <data:text/html,struck> <http://evil.test/auto>',
  '[i](//evil.test/) [j](\\\\evil.test\\) [k](file:///etc/passwd) [l](blob:http://evil.test/x)',
  '[evil.test](https://user:word@evil.test/ "javascript:struck=44") http://evil.test/bare www.evil.test',
  '![m](javascript:struck=45) ![n](data:image/svg+xml,<svg/onload=struck=46>) ![far](http://evil.test/far.png)',
  '```html\n<script>struck=47</script>\n```',
  '| <img src=x onerror=struck=48> | b |\n|---|---|\n| [x](javascript:struck=49) | c |',
  '- [ ] <script>struck=50</script>',
  '[^1]: <img src=x onerror=struck=51>\n\nnote[^1]',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the hostile text contains it.
  '{{constructor.constructor("struck=52")()}} ${struck=53} #{struck} <%= struck %> {%struck%}',
  "'; DROP TABLE members; -- $(touch struck) `touch struck` | touch struck",
  '../../../../etc/passwd\\..\\..\\windows',
  REVERSED,
  'one\u200bword\u200cwith\u200dno\ufeffbreak\u2060in\u00adit',
  '\u061cturned\u200fround\u200eand\u202dover\u202cagain\u2069',
  'bell\u0007 null\u0000 escape\u001b[2J\u001b]0;struck\u0007 \u009b31m delete\u007f back\b\b\b',
  'Z\u0350\u0351\u0352\u0353\u0354\u0355\u0356\u0357\u0358\u0359'.repeat(6),
  'аpple.com раypal.com \u{e0041}\u{e0042} \u2028line\u2029paragraph',
  '__proto__ constructor toString hasOwnProperty null undefined NaN -0 1e999',
  UNBROKEN,
];

/** Returns corpus strings for one field, from the string number `turn` on, cut to `limit` characters at the end. */
export function listHostileTexts(limit: number, turn: number): string {
  const from = turn % CORPUS.length;
  const inTurn = [...CORPUS.slice(from), ...CORPUS.slice(0, from)];
  return [...inTurn.join(limit > 1_000 ? '\n\n' : ' ')].slice(0, limit).join('').trim().slice(0, limit);
}
