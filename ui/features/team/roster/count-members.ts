/** Formats as `1 member` or `3 members`. */
export const countMembers = (count: number): string => (count === 1 ? '1 member' : `${count} members`);
