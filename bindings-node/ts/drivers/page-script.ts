/** The page script, kept in the core so that drivers of every language evaluate the same one. */

export { pageScript } from '../../native/native.js';
