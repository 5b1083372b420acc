import { type Field, NotProtobuf, readFields, readPacked } from './protobuf-fields.js';

/** Fields of the messages of SCIP (`scip.proto`) that are read. */
const DOCUMENTS = 2;
const RELATIVE_PATH = 1;
const OCCURRENCES = 2;
const POSITION_ENCODING = 6;
const RANGE = 1;
const SYMBOL = 2;
const ROLES = 3;
/** Of newer indexers, in the place of `RANGE`. */
const SINGLE_LINE_RANGE = 8;
const MULTI_LINE_RANGE = 9;
/** The bit of a role that says that the symbol is defined there. */
const DEFINITION = 1;
const UTF8_ENCODING = 1;

const SCIP_OCCURRENCES_MAX = 2_000_000;

/** A place where a symbol stands, on one line. */
export interface Occurrence {
  symbol: string;
  /** From 1. */
  line: number;
  /** In units of the document's encoding, from 0. */
  start: number;
  end: number;
  isDefinition: boolean;
}

/** What a SCIP index says of one file. */
export interface ScipDocument {
  path: string;
  /** Whether columns count bytes of UTF-8; otherwise units of UTF-16, or it is not said. */
  isUtf8: boolean;
  occurrences: readonly Occurrence[];
}

const decoder = new TextDecoder();

/**
 * Yields the documents of a SCIP index in their order, with the occurrences that stand on one line. Throws
 * `NotProtobuf` when the bytes are no index, or hold more than `most` occurrences.
 */
export function* readScip(bytes: Uint8Array, most = SCIP_OCCURRENCES_MAX): Generator<ScipDocument, void, void> {
  let total = 0;
  for (const field of readFields(bytes)) {
    if (field.number !== DOCUMENTS || !field.bytes) continue;
    const document = readDocument(field.bytes);
    total += document.occurrences.length;
    if (total > most) throw new NotProtobuf(`There are more than ${most} occurrences.`);
    yield document;
  }
}

function readDocument(bytes: Uint8Array): ScipDocument {
  let path = '';
  let isUtf8 = false;
  const occurrences: Occurrence[] = [];
  for (const field of readFields(bytes)) {
    if (field.number === RELATIVE_PATH && field.bytes) path = decoder.decode(field.bytes);
    else if (field.number === POSITION_ENCODING) isUtf8 = field.bytes === undefined && field.value === UTF8_ENCODING;
    else if (field.number === OCCURRENCES && field.bytes) {
      const found = readOccurrence(field.bytes);
      if (found) occurrences.push(found);
    }
  }
  return { path, isUtf8, occurrences };
}

/** Numbers of a repeated field may be packed or not. */
const numbersOf = (field: Field) => (field.bytes ? readPacked(field.bytes) : [field.value]);

function readOccurrence(bytes: Uint8Array): Occurrence | undefined {
  const range: number[] = [];
  let typed: readonly number[] | undefined;
  let symbol = '';
  let roles = 0;
  for (const field of readFields(bytes)) {
    if (field.number === RANGE) range.push(...numbersOf(field).slice(0, 4 - range.length));
    else if (field.number === SYMBOL && field.bytes) symbol = decoder.decode(field.bytes);
    else if (field.number === ROLES && !field.bytes) roles = field.value;
    else if (field.number === SINGLE_LINE_RANGE && field.bytes) typed = readNumbers(field.bytes, 3);
    else if (field.number === MULTI_LINE_RANGE && field.bytes) typed = readNumbers(field.bytes, 4);
  }
  const [line, start, third, fourth] = typed ?? range;
  // Of four numbers, the third is the line of the end.
  const end = fourth ?? third;
  const isOneLine = fourth === undefined || third === line;
  if (symbol === '' || line === undefined || start === undefined || end === undefined || !isOneLine) return undefined;
  return { symbol, line: line + 1, start, end, isDefinition: (roles & DEFINITION) !== 0 };
}

/** Returns the fields 1 to `count` of a message of numbers, in which a 0 need not be written. */
function readNumbers(bytes: Uint8Array, count: number): number[] {
  const numbers = new Array<number>(count).fill(0);
  for (const field of readFields(bytes))
    if (!field.bytes && field.number >= 1 && field.number <= count) numbers[field.number - 1] = field.value;
  return numbers;
}
