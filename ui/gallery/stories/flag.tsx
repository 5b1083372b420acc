import { Flag } from '../../components/text/flag.js';
import { createFlag, FLAG_COLOURS, FLAG_PATTERNS } from '../../lib/format/flag-code.js';
import styles from '../gallery.module.css';
import type { Story } from '../story.js';

const getFlagKey = (id: string) => {
  const { pattern, field, charge } = createFlag(id);
  return `${pattern} ${field} ${charge}`;
};

/** Returns an id for every possible flag. */
function everyFlag(): Map<string, string> {
  const ids = new Map<string, string>();
  for (let n = 0; ids.size < FLAG_PATTERNS.length * FLAG_COLOURS.length; n += 1) {
    const id = `ship-${n}`;
    if (!ids.has(getFlagKey(id))) ids.set(getFlagKey(id), id);
  }
  return ids;
}

const ids = everyFlag();

export const story: Story = {
  title: 'Flag',
  states: {
    sizes: (
      <div className="cluster">
        {[16, 22, 24, 28, 40].map((size) => (
          <Flag key={size} id="consultant" size={size} isRaised />
        ))}
      </div>
    ),
    lowered: <Flag id="consultant" />,
    raised: <Flag id="consultant" isRaised />,
    'open to the outside': <Flag id="consultant" isRaised isExposed />,
    'every pattern and pair': (
      <table className={styles.flags}>
        <tbody>
          {FLAG_PATTERNS.map((pattern, number) => (
            <tr key={pattern}>
              <th scope="row">{number + 1}</th>
              {FLAG_COLOURS.map(([field, charge]) => (
                <td key={`${field}${charge}`}>
                  <Flag id={ids.get(`${pattern} ${field} ${charge}`) ?? ''} isRaised />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    ),
  },
};
