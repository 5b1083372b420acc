import type { CodePlace, CodePlaces, CodeQuery } from '../../../contract/code.js';
import type { Definition, Place, Places } from './places.js';
import type { StructureQueries } from './structure-queries.js';

const NOTHING: Places = { total: 0, files: 0, places: [], byName: false };

/** Looks places up in a complete structure graph. `name` may be undefined for `env` and `routes` only. */
export function findCode(queries: StructureQueries, query: CodeQuery, name: string | undefined): CodePlaces {
  const [found, isKnown] = look(queries, query, name);
  return {
    state: 'ready',
    is_known: isKnown,
    total: found.total,
    files: found.files,
    by_name: found.byName,
    places: found.places.map(toCodePlace),
    near: isKnown || name === undefined || query === 'env' || query === 'routes' ? [] : queries.near(name),
  };
}

function look(queries: StructureQueries, query: CodeQuery, name: string | undefined): [Places, isKnown: boolean] {
  if (query === 'env') {
    const found = name === undefined ? queries.environment() : queries.readsOfVariable(name);
    return [found, name === undefined || found.total > 0];
  }
  if (query === 'routes') {
    const found = queries.routes(name);
    return [found, name === undefined || found.total > 0];
  }
  if (name === undefined) return [NOTHING, false];
  if (query === 'imports') {
    const found = queries.importers(name);
    return [found, found.total > 0 || queries.filesNamed(name).length > 0];
  }
  const { total, places } = queries.definitions(name);
  if (query === 'refs') {
    const found = queries.references(name);
    return [found, total > 0 || found.total > 0];
  }
  return [{ total, places, files: new Set(places.map(({ path }) => path)).size, byName: false }, total > 0];
}

const toCodePlace = (place: Place & Partial<Pick<Definition, 'kind' | 'doc'>>): CodePlace => ({
  path: place.path,
  start_line: place.startLine,
  end_line: place.endLine,
  text: place.text,
  container: place.container,
  ...(place.kind ? { kind: place.kind } : {}),
  ...(place.doc ? { doc: place.doc } : {}),
  is_source: place.role === 0,
});
