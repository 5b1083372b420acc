import { applyPageStyles } from '../../../lib/page-styles.js';
import text from './roster.css?inline';

applyPageStyles(text);
