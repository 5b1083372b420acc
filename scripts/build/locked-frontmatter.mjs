/**
 * A plugin that leaves the engines of gray-matter out of the bundle: the daemon gives it its own reader of YAML (`daemon/storage/frontmatter`), and
 * what evaluates JavaScript from a Markdown file is not even shipped.
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
