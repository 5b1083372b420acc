import type { KeyRule } from './key-rules.js';

const NICKNAME = /^[A-Za-z0-9 _-]{1,80}$/;

/** Maps the first nickname to the display name. A name that is not a valid nickname is left out. */
export const codexNicknameRule: KeyRule = {
  member: 'name',
  foreign: ['nickname_candidates'],
  read: ({ nickname_candidates: names }) => {
    const [first] = Array.isArray(names) ? names : [];
    if (typeof first !== 'string' || !NICKNAME.test(first) || first.trim() === '') return { value: undefined };
    return Array.isArray(names) && names.length > 1
      ? { value: first, note: 'The first nickname; the others are kept for export.' }
      : { value: first };
  },
  write: (value, { nickname_candidates: names }) => {
    if (typeof value !== 'string' || !NICKNAME.test(value)) return { nickname_candidates: null };
    const others = Array.isArray(names) ? names.slice(1).filter((name) => name !== value) : [];
    return { nickname_candidates: [value, ...others] };
  },
};
