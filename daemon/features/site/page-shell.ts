import { type Html, html } from './html.js';

/** A complete page around `body`. It loads the site's own style sheet, optionally one own script, and nothing else. */
export function page(title: string, body: Html, { script }: { script?: string } = {}): string {
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/site.css">${script === undefined ? undefined : html`\n<script src="${script}" defer></script>`}
</head>
<body>
<main>
${body}
</main>
<footer><p>Served by meshd on this machine. Texts of agents and members are their own. <a href="/map">Map</a> <a href="/app">Dashboard</a> <a href="/docs">API</a></p></footer>
</body>
</html>
`;
  return whole.text;
}
