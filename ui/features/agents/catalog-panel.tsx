import type { CatalogEntry } from '../../../daemon/contract/network/registry.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { OutsideLink } from '../../components/text/outside-link.js';
import { toDisplayText } from '../../lib/format/display-text.js';

/** The entry of an imported directory about an agent. The agent itself has stated none of it. */
export function CatalogPanel({ entry: { name, description, url, tags, country, source } }: { entry: CatalogEntry }) {
  return (
    <Section title="Catalog entry">
      <KeyValue
        rows={[
          ['Name', toDisplayText(name)],
          description !== '' && ['Description', toDisplayText(description)],
          ['Address', <OutsideLink key="url" address={url} />],
          tags.length > 0 && ['Tags', toDisplayText(tags.join(', '))],
          country !== undefined && ['Country', toDisplayText(country)],
          ['From', toDisplayText(source)],
        ]}
      />
    </Section>
  );
}
