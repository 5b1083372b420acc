/**
 * Returns a plugin that excludes gray-matter's engines from the bundle. The daemon provides its own YAML reader
 * (`daemon/storage/members/frontmatter`), and the engine that evaluates JavaScript from a Markdown file is not shipped.
 */
export function lockedFrontmatter() {
  return {
    name: 'locked-frontmatter',
    load: {
      filter: { id: /[\\/]gray-matter[\\/]lib[\\/]engines\.js$/ },
      handler: () => 'module.exports = {};',
    },
  };
}
