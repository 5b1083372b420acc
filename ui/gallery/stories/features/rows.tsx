import rows from '../../../components/rows.module.css';
import { MemberRow } from '../../../features/team/member-row.js';
import { member } from '../../samples.js';
import type { Story } from '../../story.js';

export const story: Story = {
  title: 'Rows',
  states: {
    members: (
      <ul className={rows.rows} aria-label="Members">
        <MemberRow file="changed" member={member()} lastUsed="3 min ago" />
        <MemberRow
          file="ok"
          member={member({ id: 'developer', name: 'Developer', kind: 'profile', instances: 2 })}
          lastUsed="now"
        />
        <MemberRow
          file="ok"
          member={member({
            id: 'librarian',
            name: 'Librarian',
            exposure: 'external',
            token_last4: '9f2c',
            description: 'Long'.repeat(60),
          })}
        />
        <MemberRow
          file="ok"
          member={member({
            id: 'reviewer',
            name: 'Reviewer',
            state: 'broken',
            problem: { line: 3, column: 7, reason: 'This is no YAML.' },
          })}
        />
      </ul>
    ),
    plain: (
      <ul className={rows.rows} aria-label="Plain rows">
        <li>
          <a href="#rows" className={rows.main}>
            The whole row is the link
          </a>
        </li>
        <li className={rows.trouble}>In trouble</li>
        <li className={rows.needs}>Needs you</li>
      </ul>
    ),
  },
};
