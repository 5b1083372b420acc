/** A place of a code base: a line of a file, counted from 1. */
export interface At {
  path: string;
  line: number;
}

/** A name that a code base declares. */
export interface Definition extends At {
  name: string;
  kind: 'function' | 'method' | 'class' | 'interface' | 'type' | 'enum' | 'constant' | 'macro';
  /** The class or type that has it. */
  container?: string;
  /** Names of the parameters in order, where the tool knows them. */
  params?: string[];
  /** A prototype, a local variable, an import: it may be named as a definition, and need not be. */
  isWeak?: boolean;
}

/**
 * A call by name. `here`: it reaches a function of the code base; `elsewhere`: certainly another one of the same name;
 * `unknown`: the tool cannot tell, so that no question is asked about the name. A weak call may be named as one, and
 * need not be: inside a macro, or through `call`.
 */
export interface Call extends At {
  name: string;
  target: 'here' | 'elsewhere' | 'unknown';
  isWeak?: boolean;
}

/** An edge between files. A weak one holds for types in comments, or only implicitly. */
export interface Import {
  from: string;
  /** A file; in Go, the folder of a package. */
  to: string;
  isWeak?: boolean;
}

/** An environment variable that is read; a weak one without a name where the name is only known when it runs. */
interface EnvRead extends At {
  name: string;
  isWeak?: boolean;
}

/** A class, interface or type at `path:line` that extends or implements `base`. A weak one has no name of its own. */
interface Extension extends At {
  name: string;
  base: string;
  isWeak?: boolean;
}

/** What a tool finds in a code base. Paths are relative to its root. */
export interface Facts {
  definitions: Definition[];
  calls: Call[];
  /** The names of which `calls` has every call; without it, `calls` has all of every name. */
  callsKnownOf?: string[];
  imports: Import[];
  env: EnvRead[];
  extensions: Extension[];
}

export const emptyFacts = (): Facts => ({ definitions: [], calls: [], imports: [], env: [], extensions: [] });
