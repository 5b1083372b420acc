/** The style sheet of the public pages, in the colours of the dashboard. */
export const SITE_CSS = `:root {
  color-scheme: light dark;
  --canvas: light-dark(#f4f2ec, #10171a);
  --surface: light-dark(#fcfbf8, #162023);
  --sunken: light-dark(#eae7de, #0b1113);
  --line: light-dark(#d5d0c3, #2a383b);
  --ink-1: light-dark(#1d2423, #e6ece9);
  --ink-2: light-dark(#46504e, #b3c0bd);
  --ink-3: light-dark(#5d6764, #93a4a1);
  --kelp: light-dark(#0f6b5c, #5cc2a8);
  --moss: light-dark(#3b6a22, #93c572);
  --moss-tint: light-dark(#e3eed7, #22321a);
  --blue: light-dark(#25558a, #8db8e8);
  --focus: light-dark(#1b4fd8, #9db7ff);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--canvas);
  color: var(--ink-1);
  font: 1rem/1.55 "Atkinson Hyperlegible Next", system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main, footer { max-width: 70rem; margin: 0 auto; padding: 2rem 1.25rem; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1.5rem; margin-bottom: 1.5rem; }
h1 { font-size: clamp(1.75rem, 5vw, 2.5rem); line-height: 1.15; margin: 0 0 0.5rem; letter-spacing: -0.01em; }
h2 { font-size: 0.9375rem; line-height: 1.3; margin: 0 0 0.75rem; padding-bottom: 0.4rem; border-bottom: 1px solid var(--ink-1); font-weight: 650; }
h3 { font-size: 1.0625rem; margin: 0 0 0.25rem; }
h3 code { font-weight: 400; margin-left: 0.25rem; }
p { margin: 0 0 0.75rem; }
.id { margin: 0 0 0.5rem; color: var(--ink-3); }
.pitch { font-size: 1.125rem; max-width: 46rem; color: var(--ink-2); }
.presence { margin: 0; color: var(--ink-2); }
.quiet { color: var(--ink-3); font-size: 0.875rem; margin: 0; }
.lead { color: var(--ink-3); font-size: 0.875rem; }
.chip { display: inline-block; padding: 0.05rem 0.6rem; border-radius: 4px; border: 1px solid var(--line); font-weight: 650; font-size: 0.875rem; margin-right: 0.25rem; }
.chip.on { background: var(--moss-tint); border-color: var(--moss); color: var(--moss); }
.chip.off { background: var(--sunken); color: var(--ink-2); }
.columns { display: grid; gap: 2rem; grid-template-columns: minmax(0, 1fr); }
.columns > div { display: grid; gap: 2rem; align-content: start; grid-template-columns: minmax(0, 1fr); }
section > :last-child, article > :last-child { margin-bottom: 0; }
article + article { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 1rem; }
code, pre { font: 0.8125rem/1.55 "Atkinson Hyperlegible Mono", ui-monospace, monospace; }
pre { margin: 0 0 1rem; padding: 0.75rem; background: var(--sunken); border-radius: 4px; white-space: pre-wrap; }
ul { margin: 0; padding: 0; list-style: none; }
.examples li { padding: 0.25rem 0 0.25rem 0.75rem; border-left: 2px solid var(--line); margin-bottom: 0.375rem; }
.prices li { font-size: 1.125rem; font-weight: 650; margin-bottom: 0.25rem; }
.words { display: flex; flex-wrap: wrap; gap: 0.25rem 0.375rem; }
.words li { background: var(--sunken); border-radius: 2px; padding: 0 0.45rem; font-size: 0.875rem; }
dl { margin: 0; display: grid; gap: 0.5rem; }
dl > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: 0.75rem; align-items: baseline; }
dt { color: var(--ink-3); font-size: 0.875rem; }
dd { margin: 0; }
.score { font-size: 1rem; }
.score strong:first-child { font-size: 1.625rem; }
.dims { margin-bottom: 0.75rem; }
.dims > div { align-items: center; }
.dims dd { display: flex; align-items: center; gap: 0.6rem; font-variant-numeric: tabular-nums; }
.dims dt::first-letter { text-transform: uppercase; }
meter { flex: 1; max-width: 12rem; height: 0.5rem; border: 0; border-radius: 2px; background: var(--sunken); }
meter::-webkit-meter-bar { height: 0.5rem; border: 0; border-radius: 2px; background: var(--sunken); }
meter::-webkit-meter-optimum-value { background: var(--kelp); border-radius: 2px; }
meter::-moz-meter-bar { background: var(--kelp); }
a { color: var(--blue); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
footer { padding-top: 0; color: var(--ink-3); font-size: 0.875rem; }
footer a { margin-right: 0.5rem; }
.posts { margin-bottom: 0.75rem; }
.posts li { padding: 0.25rem 0; }
.posts li + li { border-top: 1px solid var(--line); }
small { font-size: 0.875rem; color: var(--ink-3); }
.state { font-size: 0.875rem; color: var(--ink-2); margin: 0.5rem 0; }
.lines { border-top: 1px solid var(--line); }
.lines p { margin: 0; padding: 0.375rem 0; border-bottom: 1px solid var(--line); }
.lines time, .lines .note { color: var(--ink-3); font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.lines .who { font-weight: 650; color: var(--kelp); }
.lines .words-said { white-space: pre-wrap; }
.world { display: block; width: 100%; height: auto; margin-bottom: 1.25rem; overflow: visible; }
.places { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); }
.places article { border-top: 1px solid var(--line); margin: 0; padding-top: 0.75rem; }
.sea { fill: var(--sunken); stroke: var(--line); stroke-width: 2; }
.land { fill: light-dark(#fcfbf8, #2a383b); stroke: var(--line); stroke-width: 1.5; stroke-linejoin: round; }
.dot { fill: var(--kelp); fill-opacity: 0.8; stroke: var(--surface); stroke-width: 3; }
.dot.only-posts { fill: var(--blue); }
a:hover .dot, a:focus-visible .dot { fill-opacity: 1; stroke: var(--focus); }
summary { cursor: pointer; color: var(--ink-2); }
details > ul { margin-top: 0.375rem; }
@media (max-width: 40rem) { .dot { transform-box: fill-box; transform-origin: center; transform: scale(2.5); } }
:target { border-left: 3px solid var(--kelp); padding-left: 0.75rem; }
@media (min-width: 60rem) {
  main { padding-top: 3rem; }
  .columns { gap: 3rem; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
  .columns > div { gap: 3rem; }
}
`;
