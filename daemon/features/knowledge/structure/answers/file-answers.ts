import type { StructureQueries } from '../structure-queries.js';
import { type AnswerParts, at, code, count, definitionItem } from './answer-text.js';

/**
 * Answers to questions about files and what imports them. Each is undefined when the graph holds nothing of the name.
 */
export class FileAnswers {
  constructor(private readonly queries: StructureQueries) {}

  importers(name: string): AnswerParts | undefined {
    const files = this.queries.filesNamed(name);
    const found = this.queries.importers(name);
    // A symbol is imported by its name: who uses it does so through an import.
    if (found.total === 0 && files.length === 0) return this.importersOfSymbol(name);
    const what = code(files.length === 1 ? (files[0]?.path ?? name) : name);
    const lead =
      found.total === 0
        ? `No file imports ${what}.`
        : `${what} is imported by ` +
          `${count(found.files, 'file')}${found.total > found.files ? ` (${found.total} imports)` : ''}.`;
    const notes =
      files.length > 1
        ? [
            `${files.length} files have this name: ${files
              .slice(0, 6)
              .map(({ path }) => code(path))
              .join(', ')}.`,
          ]
        : [];
    const nothing = files.slice(0, 1).map(({ path }) => ({ path, startLine: 1, endLine: 1, label: '', role: 0 }));
    return {
      lead,
      notes,
      total: found.total,
      items: found.total === 0 ? nothing : found.places.map((one) => ({ ...one, label: '' })),
    };
  }

  private importersOfSymbol(name: string): AnswerParts | undefined {
    const first = this.queries.definitions(name).places[0];
    if (first?.container !== '') return undefined;
    const importing = this.queries.importersOf(first.path, first.name);
    const lead =
      importing.total === 0
        ? `No file imports ${code(first.name)} (defined in ${at(first)}).`
        : `${code(first.name)} (${at(first)}) is imported by ${count(importing.files, 'file')}.`;
    return {
      lead,
      total: importing.total,
      items: importing.total === 0 ? [definitionItem(first)] : importing.places.map((one) => ({ ...one, label: '' })),
    };
  }

  imports(name: string): AnswerParts | undefined {
    const files = this.queries.filesNamed(name);
    const found = this.queries.imports(name);
    if (files.length === 0 || found.total === 0) return undefined;
    return {
      lead: `${code(files[0]?.path ?? name)} has ${count(found.total, 'import')}.`,
      total: found.total,
      items: found.places.map((one) => ({ ...one, label: '' })),
    };
  }

  dependents(name: string): AnswerParts | undefined {
    const files = this.queries.filesNamed(name);
    if (files.length === 0) return undefined;
    const found = this.queries.dependents(name);
    const what = code(files.length === 1 ? (files[0]?.path ?? name) : name);
    const direct = found.places.filter((one) => one.depth === 1).length;
    const tests = found.places.filter((one) => one.role === 1).length;
    const detail =
      found.total > found.places.length
        ? ''
        : `: ${direct} directly${tests > 0 ? `, ${tests} of them tests or examples` : ''}`;
    const lead =
      found.total === 0
        ? `Nothing imports ${what}, so no other file is affected through imports.`
        : `A change of ${what} can affect ${count(found.total, 'file')} through ` +
          `imports${detail.replace('of them ', 'of all ')}.`;
    const nothing = files.slice(0, 1).map(({ path }) => ({ path, startLine: 1, endLine: 1, label: '', role: 0 }));
    return {
      lead,
      total: found.total,
      items:
        found.total === 0
          ? nothing
          : found.places.map((one) => ({ ...one, label: one.depth === 1 ? 'direct' : `${one.depth} steps` })),
    };
  }
}
