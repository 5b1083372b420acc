import type { FoundCommit, PassageReader } from '../../storage/database/passage-reader.js';
import { getStems } from './passages/passage-text.js';
import { sumWeights, type WeighedTerm } from './ranking.js';

const ABOUT_CHANGES = new Set(
  (
    'when last change changed changes commit commits modified touched added introduced removed wrote made who ' +
    'git log history recent recently first project'
  ).split(' '),
);
const SUBJECT_COVERAGE = 0.6;
/** Of one commit, when files to quote are looked for. */
const COMMIT_PATHS_MAX = 200;

/** The Git log's answer to a question about changes, and the files to quote with it. */
interface HistoryAnswer {
  text: string;
  paths: readonly string[];
}

/** Answers when, by whom and in which commit something was changed. Searches the newest 2,000 commits. */
export class History {
  constructor(private readonly database: PassageReader) {}

  find(asked: readonly WeighedTerm[]): HistoryAnswer | undefined {
    const terms = asked.filter((term) => !ABOUT_CHANGES.has(term.word));
    const named = terms.filter((term) => term.isName).flatMap((term) => this.fileNamed(term.written));
    const path = named[0];
    if (path !== undefined) {
      const commits = this.database.listCommits(path, 3);
      const [newest] = commits;
      return newest && { text: this.describeChanges(path, commits, newest), paths: [path] };
    }
    if (terms.length === 0) {
      const commits = this.database.latestCommits(3);
      const lead = this.database.isHistoryBehind ? 'The latest commit that was read is' : 'The latest commit is';
      return this.past(commits, lead);
    }
    const match = terms.map((term) => `"${(term.forms[0]?.text ?? '').replaceAll('"', '""')}"`).join(' OR ');
    const total = sumWeights(terms);
    const commits = this.database.searchCommits(match, 20).filter((commit) => {
      const subject = getStems(commit.subject);
      const covered = terms.filter((term) => term.forms.some((form) => form.stems.every((stem) => subject.has(stem))));
      return covered.reduce((sum, term) => sum + term.weight, 0) / total >= SUBJECT_COVERAGE;
    });
    return this.past(commits.slice(0, 3), 'In the git log:');
  }

  /** Says that `newest` was the last change only where no later commit may have touched the file. */
  private describeChanges(path: string, commits: readonly FoundCommit[], newest: FoundCommit): string {
    const cut = this.database.cutAfter(newest);
    const doubts = [
      ...(cut ? [`What commit \`${cut.hash.slice(0, 12)}\` of ${dateOf(cut)} touched is not known in full`] : []),
      ...(this.database.isHistoryBehind ? ['Git failed to list the newest commits'] : []),
    ].map((doubt) => `${doubt}: it may have changed since.`);
    const verb = doubts.length === 0 ? 'was last changed' : 'was changed';
    return [describe(commits, `\`${path}\` ${verb}`), ...doubts].join('\n\n');
  }

  private past(commits: readonly FoundCommit[], lead: string): HistoryAnswer | undefined {
    const paths = [
      ...new Set(commits.flatMap((commit) => this.database.commitPaths(commit.id, COMMIT_PATHS_MAX))),
    ].filter((path) => this.database.listPassages(path).length > 0);
    return commits.length === 0 || paths.length === 0
      ? undefined
      : { text: describe(commits, lead), paths: paths.slice(0, 12) };
  }

  private fileNamed(written: string): string[] {
    const wanted = written.replace(/^\.\//, '');
    return [...this.database.paths()]
      .filter((path) => path === wanted || path.endsWith(`/${wanted}`))
      .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  }
}

function describe(commits: readonly FoundCommit[], lead: string): string {
  const lines = commits.map(
    (commit) =>
      `${dateOf(commit)}, commit \`${commit.hash.slice(0, 12)}\` by ` +
      `${plain(commit.author)}: “${plain(commit.subject)}”`,
  );
  return lines.length === 1 ? `${lead} ${lines[0]}` : `${lead}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}

const dateOf = ({ at }: FoundCommit) => new Date(at).toISOString().slice(0, 10);

/** Reduces text to one line without characters that Markdown or a terminal interprets. */
const plain = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replace(/[\\`*_[\]<>|]/g, (mark) => `\\${mark}`)
    .slice(0, 200);
