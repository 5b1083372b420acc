import type { MemberDetail, MemberPatch } from '../../../../daemon/contract/team.js';

/** The limits on calls of other programs, as keys of `rate_limits`. */
export const RATE_KEYS = ['per_ip_per_minute', 'per_ip_per_hour', 'per_ip_per_day', 'per_day'] as const;
const RATE_MAX = 1_000_000_000;
const WORDS_MAX_CHARS = 200;
const CONTACTS_MAX = 16;
const PROTOCOL_MAX_CHARS = 64;
const ENDPOINT_MAX_CHARS = 2_000;

/** What the card says of availability, contact and limits, as typed. Empty means that the file does not say it. */
export interface CallingText extends Record<(typeof RATE_KEYS)[number], string> {
  is_away: boolean;
  window_hours: string;
  sla: string;
  /** `protocol: endpoint`, one per line. */
  contact: string;
}

type CallingKeys = Pick<MemberDetail, 'availability' | 'contact' | 'rate_limits'>;

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Converts the file's values to the form's. */
export function toCallingText({ availability = {}, contact = {}, rate_limits = {} }: CallingKeys): CallingText {
  const rate = (key: (typeof RATE_KEYS)[number]) => (rate_limits[key] === undefined ? '' : String(rate_limits[key]));
  return {
    is_away: availability.now === false,
    window_hours: availability.window_hours ?? '',
    sla: availability.sla ?? '',
    contact: Object.entries(contact)
      .map((entry) => entry.map(onOneLine).join(': '))
      .join('\n'),
    per_ip_per_minute: rate('per_ip_per_minute'),
    per_ip_per_hour: rate('per_ip_per_hour'),
    per_ip_per_day: rate('per_ip_per_day'),
    per_day: rate('per_day'),
  };
}

/** Returns protocol and endpoint of each line; undefined for a line of another form. */
const parseContacts = (text: string): (readonly [string, string] | undefined)[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const at = line.search(/:\s/);
      return at < 1 ? undefined : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });

function contactProblem(text: string): string | undefined {
  const contacts = parseContacts(text);
  const seen = new Set<string>();
  for (const [at, contact] of contacts.entries()) {
    if (!contact)
      return `Line ${at + 1} must be a protocol, a colon, a space and an endpoint: “email: ops@example.org”.`;
    const [protocol, endpoint] = contact;
    if (protocol.length > PROTOCOL_MAX_CHARS)
      return `Line ${at + 1}: a protocol has at most ${PROTOCOL_MAX_CHARS} characters.`;
    if (endpoint.length > ENDPOINT_MAX_CHARS) return `Line ${at + 1}: an endpoint has at most 2,000 characters.`;
    if (seen.has(protocol)) return `Line ${at + 1}: one endpoint for each protocol; there is another for ${protocol}.`;
    seen.add(protocol);
  }
  return contacts.length > CONTACTS_MAX ? `At most ${CONTACTS_MAX} contacts; these are ${contacts.length}.` : undefined;
}

const isRate = (text: string) => /^\d{1,10}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= RATE_MAX;

/** Returns the problems and how to fix them, keyed by field. */
export function callingProblems(values: CallingText): Partial<Record<keyof CallingText, string>> {
  const problems: Partial<Record<keyof CallingText, string>> = {};
  for (const key of ['window_hours', 'sla'] as const) {
    const { length } = values[key];
    if (length > WORDS_MAX_CHARS) problems[key] = `At most ${WORDS_MAX_CHARS} characters; this has ${length}.`;
  }
  const contact = contactProblem(values.contact);
  if (contact !== undefined) problems.contact = contact;
  for (const key of RATE_KEYS) {
    if (values[key].trim() !== '' && !isRate(values[key]))
      problems[key] = 'A whole number from 1 to 1,000,000,000, or nothing: no limit.';
  }
  return problems;
}

const orNull = <T extends object>(value: T): T | null => (Object.keys(value).length === 0 ? null : value);

/** Returns the keys of the file that `changed` fields belong to. An emptied key is removed from the file. */
export function createCallingPatch(
  values: CallingText,
  changed: ReadonlySet<string>,
): Pick<MemberPatch, 'availability' | 'contact' | 'rate_limits'> {
  const [window_hours, sla] = [values.window_hours.trim(), values.sla.trim()];
  const rates = RATE_KEYS.flatMap((key) => (values[key].trim() === '' ? [] : [[key, Number(values[key])] as const]));
  const contacts = parseContacts(values.contact).flatMap((contact) => (contact ? [contact] : []));
  const isChanged = (...keys: readonly string[]) => keys.some((key) => changed.has(key));
  return {
    ...(isChanged('is_away', 'window_hours', 'sla') && {
      availability: orNull({
        ...(values.is_away && { now: false }),
        ...(window_hours !== '' && { window_hours }),
        ...(sla !== '' && { sla }),
      }),
    }),
    ...(isChanged('contact') && { contact: orNull(Object.fromEntries(contacts)) }),
    ...(isChanged(...RATE_KEYS) && { rate_limits: orNull(Object.fromEntries(rates)) }),
  };
}

/** Returns the field for a path in these keys of the file; undefined for any other path. */
export function findCallingField(path: string): string | undefined {
  const [key, part] = path.split('.');
  if (key === 'contact') return key;
  if (key === 'availability') return part === 'now' || part === undefined ? 'is_away' : part;
  return key === 'rate_limits' ? (part ?? RATE_KEYS[0]) : undefined;
}
