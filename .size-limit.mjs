import { readFileSync } from 'node:fs';

/** The dashboard's files as Vite lists them after a build: which chunk imports which. */
const manifest = JSON.parse(readFileSync(new URL('dist/ui/.vite/manifest.json', import.meta.url), 'utf8'));

/** The scripts that a browser fetches before `entries` run: themselves and all that they import. */
function scriptsOf(...entries) {
  const seen = new Set();
  const visit = (key) => {
    if (seen.has(key)) return;
    seen.add(key);
    for (const imported of manifest[key].imports ?? []) visit(imported);
  };
  entries.forEach(visit);
  return new Set([...seen].map((key) => `dist/ui/${manifest[key].file}`));
}

const FIRST_PAGE = 'app/pages/desk-page.tsx';
// The first page is part of the entry, or a chunk that it names.
const firstRoute = scriptsOf('index.html', 'dashboard.tsx', ...(manifest[FIRST_PAGE] ? [FIRST_PAGE] : []));
const otherPages = Object.keys(manifest).filter(
  (key) => key.startsWith('app/pages/') && key !== FIRST_PAGE && manifest[key].isDynamicEntry,
);

export default [
  { name: 'First route, JavaScript', path: [...firstRoute], gzip: true, limit: '121 kB' },
  ...otherPages.map((page) => ({
    name: `On top of it for ${page.replace(/^.*\/|\.tsx$/g, '')}`,
    path: [...scriptsOf(page)].filter((file) => !firstRoute.has(file)),
    gzip: true,
    limit: '60 kB',
  })),
  { name: 'Gazetteer', path: 'dist/ui/assets/gazetteer-*.bin', gzip: true, limit: '150 kB' },
  { name: 'Outlines of the world', path: 'dist/ui/assets/world-*.json', gzip: true, limit: '180 kB' },
  { name: 'All styles', path: 'dist/ui/assets/*.css', gzip: true, limit: '18.5 kB' },
  { name: 'Fonts of the first view', path: ['dist/ui/assets/*-normal-*.woff2'], brotli: false, limit: '52 kB' },
];
