/** Addresses and titles: what may be opened, and what may be reported (B-30, B-32). */

export const BLANK = 'about:blank';
const TITLE_BYTES = 1024;

// No white space, controls or backslashes: browsers and URL parsers disagree about them, and a
// policy may have been asked about another host than the browser would contact.
const ADDRESS = /^https?:\/\/[^\s\\\x00-\x1f\x7f/?#]+(?:[/?#][^\s\\\x00-\x1f\x7f]*)?$/i;
const IN_TITLE = /\b([a-z][a-z0-9+.-]{1,15}:\/\/)([^\s<>"']+)/gi;
const MAIL = /[^\s@<>()[\],;:"']+@[^\s@<>()[\],;:"']+\.[^\s@<>()[\],;:"'.]+/g;
const CONTROLS = /[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Why an address is not opened; null for `about:blank` and http(s) without user name and password. */
export function addressProblem(url: string): string | null {
  if (url === BLANK) return null;
  if (!ADDRESS.test(url)) {
    return 'Only absolute http and https addresses and about:blank can be opened.';
  }
  if (!URL.canParse(url)) return 'The address is malformed.';
  const authority = url.slice(url.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? '';
  return authority.includes('@')
    ? 'An address must name a host, without a user name or password.'
    : null;
}

/** Whether a page at this address is read and reported. Others are shown to the model as a blank tab. */
export function isSupported(url: string): boolean {
  return url === BLANK || url.startsWith('http://') || url.startsWith('https://');
}

/**
 * A title on one line, at most 1,024 UTF-8 bytes, and whether it was cut. Addresses lose everything
 * after the host and mail addresses are masked: page titles often repeat both.
 */
export function safeTitle(title: string): { title: string; cut: boolean } {
  const text = title
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(CONTROLS, '')
    .replace(IN_TITLE, (_all, scheme: string, rest: string) => scheme + hostOf(rest))
    .replace(MAIL, '[address]')
    .replace(/\s+/g, ' ')
    .trim();
  if (Buffer.byteLength(text) <= TITLE_BYTES) return { title: text, cut: false };
  let kept = '';
  let bytes = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > TITLE_BYTES) break;
    kept += character;
  }
  return { title: kept, cut: true };
}

function hostOf(rest: string): string {
  const authority = rest.split(/[/?#\\]/, 1)[0] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1);
}
