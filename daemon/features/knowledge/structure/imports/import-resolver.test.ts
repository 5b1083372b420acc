import { describe, expect, it } from 'vitest';
import { ImportResolver } from './import-resolver.js';
import { PathIndex } from './path-index.js';
import { readConfig } from './project-config.js';

/** Resolves imports of one language in a project of these files, manifests and packages. */
function project(
  language: string,
  paths: readonly string[],
  { manifests = {}, packages = {} }: { manifests?: Record<string, string>; packages?: Record<string, string[]> } = {},
) {
  const config = readConfig(Object.keys(manifests), (path) => manifests[path]);
  const resolver = new ImportResolver(new PathIndex(paths), config, new Map(Object.entries(packages)));
  return (path: string, specifier: string, names: readonly string[] = []) =>
    resolver.resolve({ path, specifier, language, names });
}

describe('any import', () => {
  it('never means its own file', () => {
    expect(project('ecmascript', ['a.ts'])('a.ts', './a.js')).toEqual([]);
  });

  it('means each file once, and at most two hundred', () => {
    const all = Array.from({ length: 201 }, (_, at) => `${at}.cs`);
    const resolve = project('csharp', [], { packages: { Town: all, Twice: ['a.cs', 'a.cs'] } });
    expect(resolve('x.cs', 'Town')).toEqual(all.slice(0, 200));
    expect(resolve('x.cs', 'Twice')).toEqual(['a.cs']);
    expect(resolve('x.cs', 'None')).toEqual([]);
  });

  it('means none in a language without imports', () => {
    expect(project('other', ['a.ts'])('b.ts', './a')).toEqual([]);
  });

  it('of ECMAScript and Rust means one module', () => {
    expect(project('ecmascript', ['a.ts'])('b.ts', './a.js')).toEqual(['a.ts']);
    expect(project('ecmascript', [])('b.ts', './a.js')).toEqual([]);
    expect(project('rust', ['src/a.rs'])('src/lib.rs', 'crate::a')).toEqual(['src/a.rs']);
  });
});

describe('an import of Python', () => {
  const paths = [
    'pkg/__init__.py',
    'pkg/a.py',
    'pkg/sub/__init__.py',
    'pkg/sub/b.py',
    'src/lib1/__init__.py',
    'lib/lib2.py',
    'python/lib3.py',
    'types/stub.pyi',
    'types/pack/__init__.pyi',
    'deep/er/town/hall.py',
    'deep/er/town/inner/__init__.py',
    'pkg/local.py',
  ];

  it.each<[string, string, string[], string[]]>([
    ['x.py', 'pkg', [], ['pkg/__init__.py']],
    ['x.py', 'pkg.a', [], ['pkg/a.py']],
    ['x.py', 'pkg', ['a', 'other'], ['pkg/__init__.py', 'pkg/a.py']],
    ['x.py', 'pkg', ['sub'], ['pkg/__init__.py', 'pkg/sub/__init__.py']],
    ['x.py', 'pkg', ['*', 'a/b'], ['pkg/__init__.py']],
    ['x.py', 'pkg.sub.b', [], ['pkg/sub/b.py']],
    ['x.py', 'lib1', [], ['src/lib1/__init__.py']],
    ['x.py', 'lib2', [], ['lib/lib2.py']],
    ['x.py', 'lib3', [], ['python/lib3.py']],
    ['x.py', 'types.stub', [], ['types/stub.pyi']],
    ['x.py', 'types.pack', [], ['types/pack/__init__.pyi']],
    ['pkg/a.py', '.', ['local'], ['pkg/__init__.py', 'pkg/local.py']],
    ['pkg/a.py', '.local', [], ['pkg/local.py']],
    ['pkg/sub/b.py', '..a', [], ['pkg/a.py']],
    ['pkg/sub/b.py', '..', ['a'], ['pkg/__init__.py', 'pkg/a.py']],
    ['pkg/a.py', '...a', [], []],
    ['pkg/sub/b.py', 'local', [], ['pkg/local.py']],
    ['x.py', 'local', [], []],
    ['x.py', 'town.hall', [], ['deep/er/town/hall.py']],
    ['x.py', 'town.inner', [], ['deep/er/town/inner/__init__.py']],
    ['x.py', 'hall', [], []],
    ['x.py', '.town.hall', [], []],
    ['x.py', 'os.path', [], []],
  ])('in %s of %s with %j', (path, specifier, names, found) => {
    expect(project('python', paths)(path, specifier, names)).toEqual(found);
  });

  it('means a file of a folder that is no package', () => {
    expect(project('python', ['tools/a.py'])('x.py', 'tools', ['a'])).toEqual(['tools/a.py']);
  });

  it('means the root before the usual folders, and those before the folders around', () => {
    const resolve = (...files: string[]) => project('python', files)('deep/x.py', 'a');
    expect(resolve('a.py', 'src/a.py', 'deep/a.py')).toEqual(['a.py']);
    expect(resolve('src/a.py', 'deep/a.py')).toEqual(['src/a.py']);
    expect(resolve('deep/a.py')).toEqual(['deep/a.py']);
  });

  it('means a module before a package of its name, and both before stubs', () => {
    const resolve = (...files: string[]) => project('python', files)('x.py', 'a');
    expect(resolve('a.py', 'a/__init__.py', 'a.pyi')).toEqual(['a.py']);
    expect(resolve('a/__init__.py', 'a.pyi')).toEqual(['a/__init__.py']);
  });
});

describe('an import of Go', () => {
  const manifests = { 'go.mod': 'module example.org/town\n', 'tools/go.mod': 'module example.org/town/tools\n' };
  const paths = ['main.go', 'a/a.go', 'a/b.go', 'a/a_test.go', 'a/a.md', 'a/deep/c.go', 'tools/x/x.go'];

  it.each([
    ['example.org/town', ['main.go']],
    ['example.org/town/a', ['a/a.go', 'a/b.go']],
    ['example.org/town/tools/x', ['tools/x/x.go']],
    ['example.org/town/none', []],
    ['example.org/towns/a', []],
    ['fmt', []],
  ])('of %s', (specifier, found) => {
    expect(project('go', paths, { manifests })('z.go', specifier)).toEqual(found);
  });
});

describe('an import of Java', () => {
  const paths = ['src/a/b/Shop.java', 'src/a/b/Bank.java', 'test/a/b/Shop.java', 'src/X.java'];
  const packages = { 'a.b': ['src/a/b/Shop.java', 'src/a/b/Bank.java'] };

  it.each([
    ['a.b.Shop', ['src/a/b/Shop.java']],
    ['a.b.Shop.Inner', ['src/a/b/Shop.java']],
    ['a.b.Shop.Inner.sell', ['src/a/b/Shop.java']],
    ['a.b.Shop.Inner.Deep.sell', []],
    ['a.b.*', ['src/a/b/Shop.java', 'src/a/b/Bank.java']],
    ['a.b.Shop.*', ['src/a/b/Shop.java']],
    ['none.*', []],
    ['a.b.None', []],
    ['X', []],
    ['X.make', []],
  ])('of %s', (specifier, found) => {
    expect(project('java', paths, { packages })('src/a/Use.java', specifier)).toEqual(found);
  });
});

describe('an include of C', () => {
  const paths = ['lib/a.h', 'lib/b.h', 'include/town/b.h', 'include/town/c.h', 'other/town/c.h', 'root.h'];

  it.each([
    ['lib/x.c', 'b.h', ['lib/b.h']],
    ['lib/x.c', '../include/town/c.h', ['include/town/c.h']],
    ['x.c', 'town/b.h', ['include/town/b.h']],
    ['other/x.c', 'town/c.h', ['other/town/c.h']],
    ['lib/x.c', '../../a.h', ['lib/a.h']],
    ['lib/deep/x.c', './root.h', ['root.h']],
    ['lib/x.c', 'town/../b.h', ['lib/b.h']],
    ['lib/x.c', 'stdio.h', []],
  ])('in %s of %s', (path, specifier, found) => {
    expect(project('cpp', paths)(path, specifier)).toEqual(found);
  });
});

describe('a require of Ruby', () => {
  const paths = ['lib/town/lamp.rb', 'lib/top.rb', 'app/models/shop.rb', 'app/beside.rb', 'gem/lib/top.rb'];

  it.each([
    ['bin/x.rb', 'town/lamp', ['lib/town/lamp.rb']],
    ['bin/x.rb', 'town/lamp.rb', ['lib/town/lamp.rb']],
    ['bin/x.rb', 'top', ['lib/top.rb']],
    ['gem/x.rb', 'top', ['gem/lib/top.rb']],
    ['app/x.rb', './beside', ['app/beside.rb']],
    ['app/models/x.rb', '../beside', ['app/beside.rb']],
    ['app/x.rb', './none', []],
    ['app/x.rb', '../../top', []],
    ['bin/x.rb', 'models/shop', ['app/models/shop.rb']],
    ['bin/x.rb', 'shop', []],
    ['app/x.rb', 'beside', []],
  ])('in %s of %s', (path, specifier, found) => {
    expect(project('ruby', paths)(path, specifier)).toEqual(found);
  });
});

describe('an import of PHP', () => {
  const paths = ['src/Shops/Shop.php', 'src/Shops/Other.php', 'lib/a.php', 'b.php', 'src/Loose/Thing.php', 'Top.php'];
  const packages = { 'Town\\Shops': ['src/Shops/Shop.php', 'src/Shops/Other.php', 'src/Shops/MyShop.php'] };

  it.each([
    ['x.php', 'Town\\Shops\\Shop', ['src/Shops/Shop.php']],
    ['x.php', 'Town\\Shops\\None', []],
    ['x.php', 'Any\\Loose\\Thing', ['src/Loose/Thing.php']],
    ['x.php', 'Any\\Other\\Thing', []],
    ['x.php', 'Top', ['Top.php']],
    ['lib/x.php', './a.php', ['lib/a.php']],
    ['lib/x.php', './b.php', ['b.php']],
    ['x.php', './../../lib/a.php', ['lib/a.php']],
    ['deep/x.php', './a.php', ['lib/a.php']],
    ['x.php', './none.php', []],
  ])('in %s of %s', (path, specifier, found) => {
    expect(project('php', paths, { packages })(path, specifier)).toEqual(found);
  });

  it('means the file of its name at the root of a package', () => {
    expect(project('php', [], { packages: { '': ['Shop.php'] } })('x.php', 'Shop')).toEqual(['Shop.php']);
  });
});

describe('a source of Bash', () => {
  const paths = ['lib/a.sh', 'lib/deep/b.sh', 'c.sh', 'other/d.sh', 'other/deep/a.sh'];

  it.each([
    ['lib/x.sh', './a.sh', ['lib/a.sh']],
    ['lib/deep/x.sh', './a.sh', ['lib/a.sh']],
    ['lib/deep/x.sh', './c.sh', ['c.sh']],
    ['lib/x.sh', '../../d.sh', ['other/d.sh']],
    ['other/x.sh', './deep/a.sh', ['other/deep/a.sh']],
    ['z/x.sh', './deep/b.sh', ['lib/deep/b.sh']],
    ['x.sh', './none.sh', []],
  ])('in %s of %s', (path, specifier, found) => {
    expect(project('bash', paths)(path, specifier)).toEqual(found);
  });
});
