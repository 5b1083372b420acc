import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const filesIn = (folder: string) =>
  readdirSync(fileURLToPath(new URL(folder, import.meta.url)), { recursive: true, encoding: 'utf8' });
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

const files = filesIn('../components');
const components = files.filter((file) => /\.tsx$/.test(file) && !/\.test\.tsx$/.test(file));
const drawn = components.map((file) => read(`../components/${file}`)).join('\n');
/** Stylesheets whose classes pages use directly. */
const looks = files.filter((file) => file.endsWith('.module.css') && !drawn.includes(`/${basename(file)}'`));
const stories = filesIn('stories');

describe('gallery', () => {
  it.each([...components.map((file) => [file, file.replace(/tsx$/, 'js')]), ...looks.map((file) => [file, file])])(
    'shows %s',
    (file, module) => {
      const name = basename(file).replace(/(\.module\.css|\.tsx)$/, '.tsx');
      const story = stories.find((one) => basename(one) === name);
      expect(story).toBeDefined();
      expect(read(`stories/${story}`)).toContain(`/components/${module}'`);
    },
  );
});
