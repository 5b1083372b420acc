import { Notice } from '../../components/notes.js';
import { toDisplayText } from '../../lib/format/display-text.js';

/** What could not be read in the file of the roadmap. Renders nothing when all of it could. */
export function RoadmapProblems({ path, problems }: { path: string; problems: readonly string[] }) {
  if (problems.length === 0) return null;
  return (
    <Notice tone="failed">
      {problems.map((problem) => (
        <p key={problem}>
          <span className="mono">{path}</span>: {toDisplayText(problem)}
        </p>
      ))}
    </Notice>
  );
}
