import { useFilePanel } from '../features/knowledge/use-file-panel.js';

/** The file in the query, beside any page. */
export default function ShownFile() {
  return useFilePanel();
}
