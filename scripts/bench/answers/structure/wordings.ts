import type { Kind } from './question.js';

/** What the wordings of a question say of its subject. */
export interface Subject {
  /** As it is to be written: a name, perhaps with its class, or a path. */
  name: string;
  /** `function`, `class`, `trait` and so on. */
  noun: string;
  /** Whether files include others. */
  isIncluded?: boolean;
}

type Wording = (subject: Subject) => string;

/** Wordings of each kind; `environment` asks about the whole code base. */
export const WORDINGS: Readonly<Record<Exclude<Kind, 'extends'>, readonly Wording[]>> = {
  definition: [
    ({ name }) => `Where is ${name} defined?`,
    ({ name, noun }) => `Where is the ${noun} \`${name}\` defined?`,
    ({ name }) => `Which file defines ${name}?`,
    ({ name, noun }) => `In which file is the ${noun} ${name} declared?`,
    ({ name }) => `where can I find the definition of ${name}`,
    ({ name }) => `Where does ${name} live?`,
  ],
  callers: [
    ({ name }) => `Who calls ${name}?`,
    ({ name }) => `Where is ${name} called?`,
    ({ name }) => `What calls \`${name}\`?`,
    ({ name }) => `Find all callers of ${name}`,
    ({ name }) => `From which places is ${name}() called?`,
    ({ name, noun }) => `List every call of the ${noun} ${name}.`,
  ],
  importers: [
    ({ name, isIncluded }) => `Which files ${isIncluded ? 'include' : 'import'} ${name}?`,
    ({ name, isIncluded }) => `Who ${isIncluded ? 'includes' : 'imports'} \`${name}\`?`,
    ({ name, isIncluded }) => `Where is ${name} ${isIncluded ? 'included' : 'imported'}?`,
    ({ name, isIncluded }) => `list the files that ${isIncluded ? 'include' : 'import'} ${name}`,
  ],
  affected: [
    ({ name }) => `What is affected if ${name} changes?`,
    ({ name }) => `What could break if I change ${name}?`,
    ({ name }) => `Which files depend on ${name}, directly or indirectly?`,
    ({ name }) => `If I edit \`${name}\`, which other files are affected?`,
  ],
  environment: [
    () => 'Which environment variables does it read?',
    () => 'What environment variables does this project use?',
    () => 'list all env vars that the code reads',
    () => 'Which env variables are read by the code?',
  ],
  parameters: [
    ({ name }) => `What are the parameters of ${name}?`,
    ({ name, noun }) => `Which arguments does the ${noun} ${name} take?`,
    ({ name }) => `What arguments does \`${name}\` accept?`,
    ({ name }) => `What is the signature of ${name}?`,
  ],
};

export const EXTENDS_WORDINGS: Readonly<Record<'class' | 'interface', readonly Wording[]>> = {
  class: [
    ({ name }) => `Which classes extend ${name}?`,
    ({ name }) => `What are the subclasses of \`${name}\`?`,
    ({ name }) => `Who inherits from ${name}?`,
    ({ name }) => `list the classes derived from ${name}`,
  ],
  interface: [
    ({ name, noun }) => `Which types implement the ${noun} ${name}?`,
    ({ name }) => `Who implements ${name}?`,
    ({ name }) => `What implements \`${name}\`?`,
    ({ name }) => `Find the implementations of ${name}`,
  ],
};

/** Wordings about one environment variable. */
export const VARIABLE_WORDINGS: readonly Wording[] = [
  ({ name }) => `Where is the environment variable ${name} read?`,
  ({ name }) => `Which code reads the ${name} environment variable?`,
  ({ name }) => `where is the env var ${name} used`,
];
