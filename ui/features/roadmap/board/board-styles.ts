import { applyPageStyles } from '../../../lib/page-styles.js';
import text from './board.css?inline';

applyPageStyles(text);
