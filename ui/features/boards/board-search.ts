/** A board as it stands in the address. What is absent constrains nothing. */
export interface BoardSearch {
  show?: 'map' | 'agenda' | undefined;
  /** A place of the gazetteer by its key: `Lisbon, PT`. */
  near?: string | undefined;
  /** Radius around it. */
  km?: number | undefined;
  lang?: string | undefined;
  /** What of the map is looked at. */
  at?: string | undefined;
  /** What is open above the page. */
  make?: 'post' | undefined;
}

export const KM_DEFAULT = 50;
export const KM_MAX = 20_000;
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$/;
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** A radius in kilometres; undefined for anything else. */
export function kmIn(value: unknown): number | undefined {
  const km = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return ['string', 'number'].includes(typeof value) && km > 0 && km <= KM_MAX ? km : undefined;
}

/** What the address says; a parameter that makes no sense is as if it were not there. */
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
