import { readQuestionModel } from '../../../storage/word-data.js';
import { readFeatures } from './question-features.js';

/** Weights are written as whole numbers of hundredths. */
export const WEIGHT_SCALE = 100;

interface Model {
  classes: readonly string[];
  bias: readonly number[];
  weights: ReadonlyMap<string, readonly number[]>;
}

let model: Model | undefined;

function load(): Model {
  const [head = '', ...lines] = readQuestionModel().trimEnd().split('\n');
  const row = (line: string) => {
    const [name = '', numbers = ''] = line.split('\t');
    return [name, numbers.split(' ').map((number) => Number(number) / WEIGHT_SCALE)] as const;
  };
  const [classes, bias] = row(head);
  return { classes: classes.split(' '), bias, weights: new Map(lines.map(row)) };
}

/** Returns the probability of each class from the logits. */
export function softmax(logits: readonly number[]): number[] {
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/**
 * Returns what a newcomer's question is most probably about, with the probability from 0 to 1: `none`, `purpose`, `test`,
 * `build`, `licence`, `entry`, `environment` or `callers`. The model is a logistic regression over words, which
 * `scripts/build/words/question-model.ts` trains when the project is built, on wordings of people who did not know it.
 */
export function classify(text: string, names: readonly string[]): { name: string; probability: number } {
  model ??= load();
  const { classes, bias, weights } = model;
  const known = [...readFeatures(text, names)].flatMap((feature) => {
    const row = weights.get(feature);
    return row ? [row] : [];
  });
  const share = 1 / Math.sqrt(known.length || 1);
  const logits = bias.map((start, at) => start + share * known.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const probabilities = softmax(logits);
  const best = probabilities.indexOf(Math.max(...probabilities));
  return { name: classes[best] ?? 'none', probability: probabilities[best] ?? 0 };
}
