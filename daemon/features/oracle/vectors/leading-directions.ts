import type { WordPairs } from '../text/word-pairs.js';

const ROUNDS = 4;
const SWEEPS = 6;
const SLICE_ROWS = 50;
const SLICE_COLUMNS = 16;

/**
 * Returns a vector of `dimensions` numbers for each row of the symmetric matrix, such that their products approximate
 * the matrix as closely as possible: its leading eigenvectors, each scaled by the square root of the absolute
 * eigenvalue. Uses subspace iteration from fixed pseudo-random vectors. Runs in slices.
 */
export function* leadingDirections(pairs: WordPairs, dimensions: number): Generator<void, Float32Array> {
  const rows = pairs.terms.length;
  let basis = randomBlock(rows * dimensions);
  yield* orthogonalise(basis, rows, dimensions);
  for (let round = 0; round < ROUNDS; round += 1) {
    basis = yield* multiply(pairs, basis, dimensions);
    yield* orthogonalise(basis, rows, dimensions);
  }
  const image = yield* multiply(pairs, basis, dimensions);
  const inner = new Float64Array(dimensions * dimensions);
  for (let row = 0; row < rows; row += 1) {
    for (let a = 0; a < dimensions; a += 1) {
      const left = basis[row * dimensions + a] as number;
      for (let b = 0; b < dimensions; b += 1) {
        inner[a * dimensions + b] =
          (inner[a * dimensions + b] as number) + left * (image[row * dimensions + b] as number);
      }
    }
    if (row % SLICE_ROWS === SLICE_ROWS - 1) yield;
  }
  const turned = yield* diagonalise(inner, dimensions);
  const roots = Float64Array.from({ length: dimensions }, (_, at) =>
    Math.sqrt(Math.abs(inner[at * dimensions + at] as number)),
  );
  const result = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row += 1) {
    for (let a = 0; a < dimensions; a += 1) {
      const left = basis[row * dimensions + a] as number;
      for (let b = 0; b < dimensions; b += 1) {
        const at = row * dimensions + b;
        result[at] = (result[at] as number) + left * (turned[a * dimensions + b] as number) * (roots[b] as number);
      }
    }
    if (row % SLICE_ROWS === SLICE_ROWS - 1) yield;
  }
  return result;
}

/** The same numbers in every run, so that two daemons with the same catalog return the same results. */
function randomBlock(length: number): Float32Array {
  const block = new Float32Array(length);
  let state = 20_261_121;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    block[at] = state / 0x8000_0000 - 1;
  }
  return block;
}

function* multiply({ starts, partners, strengths, terms }: WordPairs, block: Float32Array, dimensions: number) {
  const result = new Float32Array(block.length);
  let work = 0;
  for (let row = 0; row < terms.length; row += 1) {
    const to = row * dimensions;
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at += 1) {
      const strength = strengths[at] as number;
      const from = (partners[at] as number) * dimensions;
      for (let d = 0; d < dimensions; d += 1)
        result[to + d] = (result[to + d] as number) + strength * (block[from + d] as number);
    }
    work += (starts[row + 1] as number) - (starts[row] as number);
    if (work > 8_000) {
      work = 0;
      yield;
    }
  }
  return result;
}

/** Makes the block's columns orthonormal in place (Gram–Schmidt, each column against all previous ones). */
function* orthogonalise(block: Float32Array, rows: number, dimensions: number): Generator<void> {
  // The block is transposed first, because reading it column by column would miss the cache.
  const columns: Float32Array[] = [];
  for (let d = 0; d < dimensions; d += 1) {
    const column = new Float32Array(rows);
    for (let row = 0; row < rows; row += 1) column[row] = block[row * dimensions + d] as number;
    columns.push(column);
    if (d % SLICE_COLUMNS === SLICE_COLUMNS - 1) yield;
  }
  for (const [d, column] of columns.entries()) {
    for (let before = 0; before < d; before += 1) {
      const other = columns[before] as Float32Array;
      let product = 0;
      for (let row = 0; row < rows; row += 1) product += (column[row] as number) * (other[row] as number);
      for (let row = 0; row < rows; row += 1) column[row] = (column[row] as number) - product * (other[row] as number);
      if (before % SLICE_COLUMNS === SLICE_COLUMNS - 1) yield;
    }
    let squares = 0;
    for (let row = 0; row < rows; row += 1) squares += (column[row] as number) ** 2;
    const factor = squares > 1e-20 ? 1 / Math.sqrt(squares) : 0;
    for (let row = 0; row < rows; row += 1) {
      column[row] = (column[row] as number) * factor;
      block[row * dimensions + d] = column[row] as number;
    }
    yield;
  }
}

/** Diagonalizes the symmetric matrix in place (Jacobi) and returns the rotation, whose columns are the eigenvectors. */
function* diagonalise(matrix: Float64Array, size: number): Generator<void, Float64Array> {
  const turned = new Float64Array(size * size);
  for (let at = 0; at < size; at += 1) turned[at * size + at] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (let p = 0; p < size; p += 1) {
      for (let q = p + 1; q < size; q += 1) {
        const off = ((matrix[p * size + q] as number) + (matrix[q * size + p] as number)) / 2;
        if (Math.abs(off) < 1e-12) continue;
        const theta = ((matrix[q * size + q] as number) - (matrix[p * size + p] as number)) / (2 * off);
        const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        turnPlane(matrix, turned, size, p, q, c, t * c);
      }
      yield;
    }
  }
  return turned;
}

function turnPlane(
  matrix: Float64Array,
  turned: Float64Array,
  size: number,
  p: number,
  q: number,
  c: number,
  s: number,
): void {
  const turnPair = (block: Float64Array, one: number, other: number) => {
    const a = block[one] as number;
    const b = block[other] as number;
    block[one] = c * a - s * b;
    block[other] = s * a + c * b;
  };
  for (let k = 0; k < size; k += 1) turnPair(matrix, k * size + p, k * size + q);
  for (let k = 0; k < size; k += 1) turnPair(matrix, p * size + k, q * size + k);
  for (let k = 0; k < size; k += 1) turnPair(turned, k * size + p, k * size + q);
}
