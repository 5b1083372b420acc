/** The fields of a command that are matched. */
export interface Findable {
  group: string;
  name: string;
  /** Another name that ranks like the first: an id. */
  alias?: string;
  /** Further words that match, ranked after matches of a name. */
  words?: string;
  more?: string;
}

const listWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns how well a command matches: 0 is an exact name, higher is worse, undefined is no match. */
function computeRank(command: Findable, text: string, wanted: readonly string[]): number | undefined {
  const names = [command.name, command.alias ?? command.name].map((name) => name.toLowerCase());
  if (names.includes(text)) return 0;
  if (names.some((name) => name.startsWith(text))) return 1;
  const parts = names.flatMap((name) => name.split(/[\s-]+/));
  if (wanted.every((word) => parts.some((part) => part.startsWith(word)))) return 2;
  if (wanted.every((word) => names.some((name) => name.includes(word)))) return 3;
  const hay = [...names, command.words ?? '', command.more ?? ''].join(' ').toLowerCase();
  return wanted.every((word) => hay.includes(word)) ? 4 : undefined;
}

/**
 * Returns the commands that contain every word of `text`. Matches of a name rank before matches of a description.
 * Groups stay together, ordered by their best match.
 */
export function rankCommands<C extends Findable>(commands: readonly C[], text: string): C[] {
  const wanted = listWords(text);
  if (wanted.length === 0) return [...commands];
  const whole = wanted.join(' ');
  const ranked = commands.flatMap((command, at) => {
    const rank = computeRank(command, whole, wanted);
    return rank === undefined ? [] : [{ command, rank, at }];
  });
  const best = new Map<string, { rank: number; at: number }>();
  for (const { command, rank, at } of ranked) {
    const known = best.get(command.group);
    if (!known || rank < known.rank) best.set(command.group, { rank, at: known?.at ?? at });
  }
  const getGroup = ({ command }: (typeof ranked)[number]) => best.get(command.group) ?? { rank: 0, at: 0 };
  return ranked
    .sort((a, b) => {
      const [left, right] = [getGroup(a), getGroup(b)];
      return left.rank - right.rank || left.at - right.at || a.rank - b.rank || a.at - b.at;
    })
    .map(({ command }) => command);
}
