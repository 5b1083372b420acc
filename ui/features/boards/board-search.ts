/** The query parameters of a board's page. An absent one sets no constraint. */
export interface BoardSearch {
  show?: 'map' | 'agenda' | undefined;
  /** Gazetteer key of a place: `Lisbon, PT`. */
  near?: string | undefined;
  /** Radius around it, in kilometres. */
  km?: number | undefined;
  lang?: string | undefined;
  /** The view of the map. */
  at?: string | undefined;
  /** The open dialog. */
  make?: 'post' | undefined;
}

export const KM_DEFAULT = 50;
export const KM_MAX = 20_000;
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$/;
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** Parses a radius in kilometres; undefined for anything else. */
export function kmIn(value: unknown): number | undefined {
  const km = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return ['string', 'number'].includes(typeof value) && km > 0 && km <= KM_MAX ? km : undefined;
}

/** Parses the query parameters. An invalid one is ignored. */
export function readBoardSearch(search: Record<string, unknown>): BoardSearch {
  const lang = text(search['lang']);
  return {
    show: search['show'] === 'map' || search['show'] === 'agenda' ? search['show'] : undefined,
    near: text(search['near']),
    km: kmIn(search['km']),
    lang: lang !== undefined && LANGUAGE.test(lang) ? lang : undefined,
    at: text(search['at']),
    make: search['make'] === 'post' ? 'post' : undefined,
  };
}
