import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { PageHead } from '../../components/section.js';
import segments from '../../components/segments.module.css';
import { viewLink } from '../../components/view-link.js';
import { ExportForm } from '../../features/imports/export-form.js';
import { exportQuery } from '../../features/imports/imports-queries.js';
import { findTool, TOOL_NAMES, TOOLS } from '../../features/imports/tool-names.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePageTitle } from '../page-title.js';

const route = getRouteApi('/export');

/** Members in the format of another tool: all of them, or the one in the query. */
export function ExportPage() {
  const { tool: asked, member } = route.useSearch();
  const tool = findTool(asked) ?? 'claude';
  const list = useQuery(exportQuery(tool, member));
  const title = member === undefined ? 'Export members' : `Export ${member}`;
  usePageTitle(title);
  return (
    <>
      <PageHead
        title={title}
        lede="Members in another tool’s format. Nothing is written until you press Write. A file that meshd did not write is replaced only if you select that."
        actions={
          member !== undefined && (
            <>
              <Link to="/team/$id" params={{ id: member }}>
                Back to {toDisplayText(member)}
              </Link>
              <Link to="/export" search={{ tool }}>
                All members
              </Link>
            </>
          )
        }
      />
      <nav aria-label="Tool" className={segments.segments}>
        {TOOLS.map((one) => (
          <Link
            key={one}
            to="/export"
            search={{ tool: one, ...(member !== undefined && { member }) }}
            replace
            {...viewLink(one === tool)}
          >
            {TOOL_NAMES[one]}
          </Link>
        ))}
      </nav>
      <Loaded
        query={list}
        what={member === undefined ? 'The members could not be converted.' : `${member} could not be converted.`}
        rows={6}
      >
        {(data) =>
          data.count === 0 && data.leftovers.length === 0 ? (
            <EmptyState action={<Link to="/team">Show the team</Link>} command="meshd team export --all --to claude">
              No members to export.
            </EmptyState>
          ) : (
            <ExportForm key={`${tool} ${member}`} tool={tool} list={data} isOne={member !== undefined} />
          )
        }
      </Loaded>
    </>
  );
}
