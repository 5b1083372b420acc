import { applyPageStyles } from '../../lib/page-styles.js';
import text from './network.css?inline';

applyPageStyles(text);
