import { describe, expect, it } from 'vitest';
import { parsed } from '../../../testing/parts/code-structure.js';
import { Extraction } from './extraction.js';
import { ECMASCRIPT } from './languages/ecmascript.js';
import { RUBY } from './languages/ruby.js';

const parse = parsed();
const open = () => new Extraction(ECMASCRIPT);
const finish = (x: Extraction) => x.finish('ecmascript', 0);
const node = (text = 'x') => parse('typescript', text);
const times = (count: number, act: (at: number) => void) => {
  for (let at = 0; at < count; at += 1) act(at);
};
const long = (length: number) => 'n'.repeat(length);

describe('a symbol', () => {
  const define = (name: string | undefined, text = 'x') => open().define({ node: node(text), name, kind: 'function' });

  it('needs a name of at most a hundred and sixty characters', () => {
    expect([define('a'), define(long(160))]).toEqual([0, 0]);
    expect([define(''), define(undefined), define(long(161))]).toEqual([undefined, undefined, undefined]);
  });

  it('is one of at most twenty thousand', () => {
    const x = open();
    const one = { node: node(), name: 'a', kind: 'function' };
    times(20_000, () => x.define(one));
    expect([x.symbols.length, x.define(one), x.symbols.length]).toEqual([20_000, undefined, 20_000]);
  });

  it('has a signature of one line and two hundred characters, of the first thousand', () => {
    const x = open();
    x.define({ node: node(`f(\n  ${long(300)})`), name: 'a', kind: 'function' });
    x.define({ node: node(`f${' '.repeat(1_000)}(a)`), name: 'b', kind: 'function' });
    expect(x.symbols.map(({ signature }) => signature)).toEqual([`f( ${long(196)}…`, 'f']);
  });

  it('is not exported and no declaration where nothing says so', () => {
    const x = open();
    x.define({ node: node(), name: 'a', kind: 'function' });
    expect(x.symbols).toEqual([
      {
        ...{ name: 'a', kind: 'function', container: '', signature: 'x', doc: '', startLine: 1, endLine: 1 },
        ...{ isExported: false, isDeclaration: false },
      },
    ]);
  });

  it('has the names around it, of at most two hundred characters', () => {
    const x = open();
    x.visit(node(`class ${long(150)} { f() { class ${long(100)} { g() {} } } }`));
    expect(x.symbols.at(-1)?.container).toBe(`${long(150)}.f.${long(47)}`);
  });

  it('is in the container that is named for it, below those around it', () => {
    const x = open();
    x.define({ node: node(), name: 'a', kind: 'method', container: 'Lamp' });
    x.define({ node: node(), name: 'b', kind: 'method', container: '' });
    expect(x.symbols.map(({ container }) => container)).toEqual(['Lamp', '']);
  });

  it('is the default of its file at the top alone', () => {
    const x = open();
    x.visit(node('function a() { function b() {} }\nfunction b() {}\nexport default b;\n'));
    expect(finish(x).symbols.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['b', true],
    ]);
  });
});

describe('a use', () => {
  const uses = (x: Extraction) => finish(x).references.map(({ qualifier, name }) => `${qualifier}.${name}`);

  it('has a name and a receiver of at most a hundred and sixty characters', () => {
    const x = open();
    x.refer('call', long(160), 1);
    x.refer('call', 'a', 1, long(160));
    x.refer('call', '', 1);
    x.refer('call', long(161), 1);
    x.refer('call', 'a', 1, long(161));
    expect(uses(x)).toEqual([`.${long(160)}`, `${long(160)}.a`]);
  });

  it('is one of at most a hundred thousand', () => {
    const x = open();
    times(100_001, (at) => x.refer('call', `n${at}`, at));
    expect(finish(x).references).toHaveLength(100_000);
  });

  it('is counted once for what it says of a line', () => {
    const x = open();
    for (const [kind, name, line, qualifier] of [
      ['call', 'a', 1, ''],
      ['call', 'a', 1, ''],
      ['read', 'a', 1, ''],
      ['call', 'a', 2, ''],
      ['call', 'a', 1, 'B'],
      ['call', 'b', 1, ''],
    ] as const)
      x.refer(kind, name, line, qualifier);
    expect(
      finish(x).references.map(({ kind, name, line, qualifier }) => `${kind} ${qualifier}.${name} ${line}`),
    ).toEqual(['call .a 1', 'read .a 1', 'call .a 2', 'call B.a 1', 'call .b 1']);
  });

  it('is of the name in the other file, but not behind a dot', () => {
    const x = open();
    x.alias('ours', 'theirs');
    x.refer('call', 'ours', 1);
    x.refer('call', 'ours', 2, 'Lamp');
    expect([uses(x), x.qualify('ours'), x.qualify('other')]).toEqual([['.theirs', 'Lamp.ours'], 'theirs', 'other']);
  });

  it('is no call of `require` and none of a local name', () => {
    const x = open();
    x.visit(node('function f(given) { given(); require(given); other(); }'));
    expect(uses(x)).toEqual(['.other']);
  });

  it('of a member without a receiver is one of its own class', () => {
    const x = open();
    const [name] = node('x;').below();
    x.member(name, undefined);
    x.member(name, undefined);
    x.member(undefined, undefined);
    x.call(undefined);
    expect(uses(x)).toEqual(['.x;']);
  });
});

describe('types', () => {
  it('of fields are found from their class on, whatever the order', () => {
    const x = open();
    x.refer('call', 'go', 1, x.fieldOf('Town', 'shop'));
    x.refer('call', 'go', 2, x.fieldOf(x.fieldOf('Town', 'shop'), 'owner'));
    x.refer('call', 'go', 3, x.fieldOf('Town', 'none'));
    x.refer('call', 'go', 4, x.fieldOf('', 'shop'));
    x.refer('call', 'go', 5, x.fieldOf('?', 'shop'));
    x.field('shop', 'Shop', 'Town');
    x.field('owner', 'Person', 'Shop');
    x.field('none', '', 'Town');
    x.field('shop', 'Other', '');
    expect(finish(x).references.map(({ qualifier }) => qualifier)).toEqual(['Shop', 'Person', '?', '?', '?']);
  });

  it('of variables are those of the innermost scope, and not known where that says none', () => {
    const x = open();
    x.fileVariable('a', 'A');
    x.fileVariable('b', '');
    expect([x.qualify('a'), x.qualify('b'), x.isLocal('a')]).toEqual(['A', 'b', false]);
    x.local('a');
    expect([x.qualify('a'), x.isLocal('a')]).toEqual(['?', false]);
  });
});

describe('the class around a place', () => {
  const classes = (rules: typeof RUBY, grammar: 'ruby' | 'typescript', text: string) => {
    const x = new Extraction(rules);
    x.visit(parse(grammar, text));
    return x.finish('', 0).references.map(({ qualifier, name }) => `${qualifier}.${name}`);
  };

  it('may be a module where those have methods', () => {
    expect(classes(RUBY, 'ruby', 'module Town\n  def self.go; self.stop; end\nend\n')).toEqual(['Town.stop']);
    expect(classes(ECMASCRIPT, 'typescript', 'namespace N { this.stop(); }')).toEqual(['?.stop']);
  });

  it('is the innermost', () => {
    expect(classes(ECMASCRIPT, 'typescript', 'class A { f() { class B { g() { this.stop(); } } } }')).toEqual([
      'B.stop',
    ]);
  });
});

describe('an import', () => {
  it('needs a specifier of at most five hundred characters', () => {
    const x = open();
    x.import(long(500), 1);
    x.import('', 2);
    x.import(long(501), 3);
    expect([x.imports.map(({ line }) => line), x.isModule]).toEqual([[1], true]);
  });

  it('is one of at most five thousand, with at most five hundred names', () => {
    const x = open();
    times(5_001, (at) =>
      x.import(`a${at}`, at, at === 0 ? Array.from({ length: 501 }, () => ['a', 'b'] as const) : []),
    );
    expect([x.imports.length, x.imports[0]?.names.length]).toEqual([5_000, 500]);
  });

  it('makes its names those of the other file, but for all and the default', () => {
    const x = open();
    x.import('./a', 1, [
      ['one', 'two'],
      ['*', 'all'],
      ['default', 'main'],
    ]);
    expect(['two', 'all', 'main'].map((name) => x.qualify(name))).toEqual(['one', 'all', 'main']);
  });
});

describe('facts', () => {
  it('are at most five thousand of each kind', () => {
    const x = open();
    times(5_001, (at) => {
      x.readsEnvironment(`HOME_${at}`, at);
      x.route('get', '/a', at);
      x.error('E', 'throw', '', at);
      x.constant('c', '1', at);
      x.entry('e', 'script', at);
    });
    const { environment, routes, errors, constants, entries } = finish(x);
    expect([environment, routes, errors, constants, entries].map(({ length }) => length)).toEqual(
      Array.from({ length: 5 }, () => 5_000),
    );
  });

  it('are cut where they are long', () => {
    const x = open();
    x.readsEnvironment('HOME', 1, long(121));
    x.route('get', '/a', 1, long(81));
    x.error('E', 'throw', long(201), 1);
    x.constant('c', long(121), 1);
    const { environment, routes, errors, constants } = finish(x);
    expect(environment[0]?.value).toBe(`${long(119)}…`);
    expect(routes[0]).toEqual({ method: 'GET', route: '/a', handler: `${long(79)}…`, line: 1 });
    expect(errors[0]?.message).toBe(`${long(199)}…`);
    expect(constants[0]?.value).toBe(`${long(119)}…`);
  });

  it('are left out where they have no name or one that is too long', () => {
    const x = open();
    x.route('get', undefined, 1);
    x.route('get', long(200), 2);
    x.route('get', long(201), 3);
    x.error('', 'throw', '', 1);
    x.error(long(160), 'throw', '', 2);
    x.error(long(161), 'throw', '', 3);
    x.constant('c', undefined, 1);
    x.constant(long(160), '1', 2);
    x.constant(long(161), '1', 3);
    x.readsEnvironment(undefined, 1);
    x.readsEnvironment('no name', 1);
    x.readsEnvironment('$HOME', 2);
    x.readsEnvironment('$$HOME', 2);
    const { environment, routes, errors, constants } = finish(x);
    expect([environment, routes, errors, constants].map((all) => all.map(({ line }) => line))).toEqual([
      [2],
      [2],
      [2],
      [2],
    ]);
  });
});

describe('a call that may read the environment', () => {
  const reads = (text: string) => {
    const x = open();
    x.visit(node(text));
    return finish(x).environment.map(({ name, line }) => `${name} ${line}`);
  };

  it.each(
    (
      'env getEnv get_env mustGetEnv tryGetEnv must_get_env readEnv lookupEnv lookUpEnv look_up_env loadEnv fetchEnv ' +
      'parseEnv requireEnv environ environment getEnvironment env_var envVariable getEnvVar env_or envOr envDefault ' +
      'envWith envBool getEnvBool envInt envStr env_string envValue envFlag envList envOpt envOption envOptional ' +
      'envGet getEnvOrDefault my_getEnv GETENV envOrElse'
    ).split(' '),
  )('is one of %s', (name) => {
    expect(reads(`${name}('LAMP_HOME');`)).toEqual(['LAMP_HOME 1']);
    expect(reads(`config.${name}('LAMP_HOME');`)).toEqual(['LAMP_HOME 1']);
  });

  it.each(['look', 'getEnvy', 'genv', 'envelope', 'getEnvs', 'myGetEnv'])('may be one of %s', (name) => {
    expect(reads(`${name}('LAMP_HOME');`)).toEqual([`@${name}:LAMP_HOME 1`]);
  });

  it('hands on the constant that holds the name', () => {
    expect(reads('getEnv(LAMP_HOME);')).toEqual(['@getEnv:$LAMP_HOME 1']);
  });

  it.each([
    "getEnv('lamp');",
    "getEnv('Lamp');",
    "getEnv('A');",
    'getEnv();',
    'getEnv(3);',
    "find()('LAMP_HOME');",
    "table.get('LAMP_HOME');",
    "has('LAMP_HOME');",
  ])('is none in %s', (text) => {
    expect(reads(text)).toEqual([]);
  });

  it.each([
    ["env.get('LAMP_HOME');", '@get:LAMP_HOME 1'],
    ["vars.get('LAMP_HOME');", '@get:LAMP_HOME 1'],
    ['table.get(vars.LAMP_HOME);', '@get:$LAMP_HOME 1'],
    ["environment.value('LAMP_HOME');", '@value:LAMP_HOME 1'],
    ["getEnv(/* why */ 'LAMP_HOME');", 'LAMP_HOME 1'],
  ])('is one in %s', (text, read) => {
    expect(reads(text)).toEqual([read]);
  });

  it('is counted once where its own rule has found it', () => {
    const x = open();
    x.readsEnvironment('LAMP_HOME', 1);
    x.visit(node("getEnv('LAMP_HOME');\ngetEnv('LAMP_HOME');\n"));
    expect(finish(x).environment.map(({ line }) => line)).toEqual([1, 2]);
  });

  it('of what a function is given makes that one that reads it', () => {
    expect(reads('function lookUp(name) { return process.env[name]; }')).toEqual(['%lookUp 1']);
    expect(reads('class A { lookUp(name) { return process.env[name]; } }')).toEqual(['%lookUp 1']);
    expect(reads('function lookUp(name) { return process.env[other]; }')).toEqual(['$other 1']);
    expect(reads('for (const name of names) process.env[name];')).toEqual(['$name 1']);
  });
});

describe('what a loop runs through', () => {
  const settled = (over: string, read = '$name') => {
    const x = open();
    const expression = parse('python', over).children[0];
    x.runsThrough('name', expression);
    x.readsEnvironment(read, 1);
    return finish(x).environment.map(({ name }) => name)[0];
  };

  it.each([
    ['NAMES', '*NAMES'],
    ['_NAMES2', '*_NAMES2'],
    ['const.NAMES', '*NAMES'],
    ['a.b.NAMES', '*NAMES'],
    ['NAMES.items()', '*NAMES'],
    ['NAMES.keys()', '*NAMES'],
    ['NAMES.values()', '*NAMES'],
    ['NAMES.other()', '$name'],
    ['names', '$name'],
    ['Names', '$name'],
    ['go(NAMES)', '$name'],
    ['NAMES[0]', '$name'],
  ])('is told by %s', (over, read) => {
    expect(settled(over)).toBe(read);
  });

  it('is nothing without an expression, and of no other variable', () => {
    const x = open();
    x.runsThrough('name', undefined);
    x.readsEnvironment('$name', 1);
    expect(finish(x).environment[0]?.name).toBe('$name');
    expect(settled('NAMES', '$other')).toBe('$other');
    expect(settled('NAMES', 'name')).toBe('name');
  });

  it('holds the strings of a list and the keys of a table that may name variables', () => {
    const x = open();
    const [list, table] = parse('python', "['HOME_A', 'home', 3]\n{'HOME_B': 1, other: 'HOME_C'}").children;
    x.strings('NAMES', list?.children[0]);
    x.strings('TABLE', table?.children[0]);
    x.strings('NONE', undefined);
    expect(x.constants).toEqual([
      { name: 'NAMES[]', container: '', value: '"HOME_A"', line: 1 },
      { name: 'TABLE[]', container: '', value: '"HOME_B"', line: 2 },
    ]);
  });
});
