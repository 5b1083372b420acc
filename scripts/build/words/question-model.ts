/**
 * Trains the model that recognises what a newcomer's question is about, and prints it as JSON: one string, a line of the
 * classes with their biases, then a line for each feature with its weights. A multinomial logistic regression, trained
 * by gradient descent in a fixed order, so that the same wordings give the same model.
 *
 * The wordings were written by people who had not seen how questions are recognised. Real questions about the open half
 * of the evaluation's code bases are examples of what no newcomer asks; those of the locked half are never read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFeatures } from '../../../daemon/features/knowledge/newcomers/question-features.js';
import { softmax, WEIGHT_SCALE } from '../../../daemon/features/knowledge/newcomers/question-model.js';
import { CODE_BASES } from '../../bench/answers/code-bases.js';
import inContext from './question-wordings/in-context.json' with { type: 'json' };
import ofNineProjects from './question-wordings/of-nine-projects.json' with { type: 'json' };
import ofTenProjects from './question-wordings/of-ten-projects.json' with { type: 'json' };
import plain from './question-wordings/plain.json' with { type: 'json' };

const CLASSES = ['none', 'purpose', 'test', 'build', 'licence', 'entry', 'environment', 'callers'];
/** Building and installing from the sources are answered by the same facts. */
const classOf = (kind = 'none') => CLASSES.indexOf(kind === 'install' ? 'build' : kind);

/** A feature of fewer texts says more about a text than about a question. */
const FEATURE_MIN_TEXTS = 2;
const EPOCHS = 60;
const FIRST_RATE = 0.5;
const RATE_DECAY = 0.95;
const BIAS_RATE = 0.1;
const DECAY = 0.003;
/** Weights below it do not decide anything. */
const WEIGHT_MIN = 0.06;

interface Example {
  features: number[];
  wanted: number;
}

/** Reads the real questions about the open code bases below `root`. */
function otherQuestions(root: string): string[][] {
  const open = CODE_BASES.filter(({ half }) => half === 'open').map(({ name }) => name);
  return open.flatMap((name) => {
    const file = join(root, 'scripts/bench/answers/questions', `${name}.json`);
    const { questions } = JSON.parse(readFileSync(file, 'utf8')) as { questions: { text: string }[] };
    return questions.map(({ text }) => [text, 'none', name]);
  });
}

function readExamples(root: string): { names: string[]; examples: Example[] } {
  const texts = [...plain, ...inContext, ...ofNineProjects, ...ofTenProjects, ...otherQuestions(root)].map(
    ([text = '', kind, project = 'lamp']) => ({ features: readFeatures(text, [project]), wanted: classOf(kind) }),
  );
  const counts = new Map<string, number>();
  for (const { features } of texts) for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const names = [...counts].filter(([, count]) => count >= FEATURE_MIN_TEXTS).map(([name]) => name);
  const indexes = new Map(names.map((name, at) => [name, at]));
  const examples = texts.map(({ features, wanted }) => ({
    features: [...features].flatMap((feature) => indexes.get(feature) ?? []),
    wanted,
  }));
  return { names, examples };
}

/** Numbers from 0 to 1 in an order that is always the same. */
function pseudoRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** Returns the items in an order that depends on `random` alone. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function train(examples: readonly Example[], count: number): { bias: number[]; weights: number[][] } {
  const bias = CLASSES.map(() => 0);
  const weights = Array.from({ length: count }, () => CLASSES.map(() => 0));
  const random = pseudoRandom();
  for (let epoch = 0, rate = FIRST_RATE; epoch < EPOCHS; epoch += 1, rate *= RATE_DECAY)
    for (const { features, wanted } of shuffled(examples, random)) {
      const rows = features.map((feature) => weights[feature] as number[]);
      const share = 1 / Math.sqrt(rows.length || 1);
      const sums = bias.map((start, at) => start + share * rows.reduce((sum, row) => sum + (row[at] as number), 0));
      for (const [at, probability] of softmax(sums).entries()) {
        const error = (at === wanted ? 1 : 0) - probability;
        bias[at] = (bias[at] as number) + rate * BIAS_RATE * error;
        for (const row of rows) row[at] = (row[at] as number) + rate * (error * share - DECAY * (row[at] as number));
      }
    }
  return { bias, weights };
}

const { names, examples } = readExamples(process.argv[2] ?? process.cwd());
const { bias, weights } = train(examples, names.length);
const written = (numbers: readonly number[]) => numbers.map((number) => Math.round(number * WEIGHT_SCALE)).join(' ');
const lines = names.flatMap((name, at) => {
  const row = weights[at] as number[];
  return row.some((weight) => Math.abs(weight) >= WEIGHT_MIN) ? [`${name}\t${written(row)}`] : [];
});
console.log(JSON.stringify(`${[`${CLASSES.join(' ')}\t${written(bias)}`, ...lines].join('\n')}\n`));
