import type { CatalogEntry } from '../../../daemon/contract/registry.js';
import { KeyValue } from '../../components/notes.js';
import { OutsideLink } from '../../components/outside-link.js';
import { Section } from '../../components/section.js';
import { shownWords } from '../../lib/shown-words.js';

/** The entry of an imported directory about an agent. The agent itself has stated none of it. */
export function CatalogPanel({ entry: { name, description, url, tags, country, source } }: { entry: CatalogEntry }) {
  return (
    <Section title="Catalog entry">
      <KeyValue
        rows={[
          ['Name', shownWords(name)],
          description !== '' && ['Description', shownWords(description)],
          ['Address', <OutsideLink key="url" address={url} />],
          tags.length > 0 && ['Tags', shownWords(tags.join(', '))],
          country !== undefined && ['Country', shownWords(country)],
          ['From', shownWords(source)],
        ]}
      />
    </Section>
  );
}
