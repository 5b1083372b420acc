import { applyPageStyles } from '../../lib/page-styles.js';
import text from './changes.css?inline';

applyPageStyles(text);
