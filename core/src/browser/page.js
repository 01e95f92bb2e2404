/*
 * The page script: how a browser driver reads a page and finds the element behind a reference (B-41, D-1).
 *
 * The whole file is one function expression. A driver evaluates `(<this file>)(options)` once in the main frame of a
 * document and keeps the returned object as a handle; nothing is stored where the page could find it. The object dies
 * with its document, and so does every reference that it gave out.
 *
 * options: { generation: a number that no other document of this driver has, reportValues: boolean }
 *
 * The page is untrusted. DOM accessors are taken from the prototypes, because a form with a field called "parentNode"
 * shadows the accessor of the same name. Code of the page can still lie about its own content, as it could by showing
 * another text, but it can neither reach this object nor make it work without end. Drivers check the reports again.
 */
(function installPageScript(options) {
  "use strict";

  // --- limits ---

  const WORK_LIMIT = 60000; // nodes looked at in one call, label texts included
  const DEPTH_LIMIT = 400; // nesting, so that recursion cannot exhaust the stack
  const TEXT_LIMIT = 65536; // UTF-8 bytes of text in one report
  const SEARCH_TEXT_LIMIT = 1048576; // UTF-8 bytes that wait_for and find look through
  const REPORT_LIMIT = 262144; // UTF-8 bytes of element reports
  const TARGET_LIMIT = 500; // elements in one report
  const FOUND_LIMIT = 40; // elements, and lines of text, in one answer of find
  const OPTION_LIMIT = 200; // options of one control
  const FRAME_LIMIT = 32; // frames in one report
  const REFERENCE_LIMIT = 20000; // references kept alive in one document
  const LABEL_BYTES = 256;
  const VALUE_BYTES = 512;
  const HAIR = 1; // CSS pixels; a clipped box up to this size shows nothing

  // --- natives ---

  const { apply } = Reflect;
  const { defineProperty, freeze, getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
  const toJson = JSON.stringify;

  /** What a prototype defines, as functions that take the object as first argument. */
  const natives = (owner) => {
    const found = { __proto__: null };
    for (const name of getOwnPropertyNames(owner.prototype)) {
      const { get, value } = getOwnPropertyDescriptor(owner.prototype, name);
      if (get !== undefined) found[name] = (self) => apply(get, self, []);
      else if (typeof value === "function") found[name] = (self, ...args) => apply(value, self, args);
    }
    return found;
  };

  const { firstChild, getRootNode, isConnected, nextSibling, nodeType, ownerDocument, parentNode } = natives(Node);
  const { data: textData } = natives(CharacterData);
  const { assignedSlot: textSlot } = natives(Text);
  const {
    assignedSlot,
    checkVisibility,
    clientLeft,
    clientTop,
    getAttribute,
    getBoundingClientRect,
    hasAttribute,
    localName,
    matches,
    scrollBy,
    scrollLeft,
    scrollTop,
    shadowRoot,
  } = natives(Element);
  const { isContentEditable } = natives(HTMLElement);
  const input = natives(HTMLInputElement);
  const select = natives(HTMLSelectElement);
  const option = natives(HTMLOptionElement);
  const area = natives(HTMLTextAreaElement);
  const button = natives(HTMLButtonElement);
  const { assignedNodes } = natives(HTMLSlotElement);
  const documents = natives(Document);
  const shadows = natives(ShadowRoot);
  const { defaultView, documentElement, scrollingElement } = documents;
  const fragmentById = natives(DocumentFragment).getElementById;
  const iframeDocument = natives(HTMLIFrameElement).contentDocument;
  const frameDocument = natives(HTMLFrameElement).contentDocument;
  const labelsOf = { __proto__: null, input: input.labels, select: select.labels, textarea: area.labels, button: button.labels };

  const topDocument = document;
  const topWindow = window;

  // --- state ---

  const entries = []; // number of a reference -> { element, role, label } or undefined
  const numbers = new WeakMap(); // element -> its current number in `entries`
  const frameOf = new WeakMap(); // document of a frame -> the frame element that showed it
  const secrets = new WeakSet(); // fields once seen as private: a "show password" button does not make them public
  let aimed = null; // what the last `aim` chose
  let lent = null; // { view, token } of an element that waits to be collected in its own frame

  // --- text utilities ---

  const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]/g;
  const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

  /** Valid Unicode without control and direction-override characters, which could disguise what a person approves. */
  const wellFormed = (text) => text.replace(LONE_SURROGATE, "\ufffd").replace(CONTROLS, "");

  const oneLine = (text) => wellFormed(text).replace(/\s+/g, " ").trim();

  const utf8Length = (text) => {
    let bytes = 0;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) bytes += 1;
      else if (unit < 0x800) bytes += 2;
      else if (unit >= 0xd800 && unit < 0xdc00) {
        bytes += 4;
        i += 1;
      } else bytes += 3;
    }
    return bytes;
  };

  /** The longest prefix of whole characters within `limit` UTF-8 bytes. */
  const cut = (text, limit) => {
    let bytes = 0;
    for (let i = 0; i < text.length; ) {
      const point = text.codePointAt(i);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (bytes > limit) return text.slice(0, i);
      i += point < 0x10000 ? 1 : 2;
    }
    return text;
  };

  /** An array that a `toJSON` on Array.prototype (old libraries add one) cannot turn into text. */
  const list = () => defineProperty([], "toJSON", { value: undefined });

  // --- work and reports ---

  const newWork = (textLimit) => ({ steps: 0, frames: 0, codes: list(), found: [], text: newText(textLimit) });

  const omit = (work, code) => {
    if (!work.codes.includes(code)) work.codes[work.codes.length] = code;
  };

  /** Counts one visited node; false once the budget of this call is used up. */
  const step = (work) => {
    work.steps += 1;
    if (work.steps <= WORK_LIMIT) return true;
    omit(work, "work_limit");
    return false;
  };

  const newText = (limit) => ({ limit, bytes: 0, parts: [], pending: "", full: false });

  const separate = (sink, mark) => {
    if (sink.parts.length === 0) return;
    if (mark === "\n" || sink.pending === "") sink.pending = mark;
  };

  const append = (work, sink, raw, keepLines) => {
    if (sink.full) return;
    const data = raw.length > sink.limit ? raw.slice(0, sink.limit) : raw;
    const text = keepLines ? wellFormed(data).replace(/[^\S\n]+/g, " ") : wellFormed(data).replace(/\s+/g, " ");
    if (text.trim() === "") {
      if (text !== "") separate(sink, " ");
      return;
    }
    const body = keepLines ? text : text.trim();
    const gap = sink.pending !== "" ? sink.pending : !keepLines && text[0] === " " && sink.parts.length > 0 ? " " : "";
    const piece = gap + body;
    const kept = cut(piece, sink.limit - sink.bytes);
    sink.parts[sink.parts.length] = kept;
    sink.bytes += utf8Length(kept);
    sink.pending = !keepLines && text.endsWith(" ") ? " " : "";
    if (kept.length < piece.length || data.length < raw.length) {
      sink.full = true;
      omit(work, "text_limit");
    }
  };

  // --- tree walking ---

  const isElement = (node) => nodeType(node) === 1;

  /** Calls `visit` for the children as they are rendered: shadow content for hosts, assigned nodes for slots. */
  const eachChild = (node, visit) => {
    const shadow = isElement(node) ? shadowRoot(node) : null;
    if (shadow === null && isElement(node) && localName(node) === "slot" && nodeType(getRootNode(node)) === 11) {
      const assigned = assignedNodes(node, { flatten: true });
      if (assigned.length > 0) {
        for (let i = 0; i < assigned.length; i += 1) if (!visit(assigned[i])) return;
        return;
      }
    }
    for (let child = firstChild(shadow ?? node); child !== null; child = nextSibling(child)) {
      if (!visit(child)) return;
    }
  };

  /** The rendered parent; null at a document, undefined where the node is not rendered at all. */
  const flatParent = (node) => {
    const slot = isElement(node) ? assignedSlot(node) : nodeType(node) === 3 ? textSlot(node) : null;
    if (slot !== null) return slot;
    const parent = parentNode(node);
    if (parent === null) return null;
    if (nodeType(parent) === 11) return "host" in parent ? shadows.host(parent) : null;
    if (!isElement(parent)) return null;
    return shadowRoot(parent) === null ? parent : undefined;
  };

  const innerDocument = (frame) => {
    try {
      return localName(frame) === "iframe" ? iframeDocument(frame) : frameDocument(frame);
    } catch {
      return null;
    }
  };

  // --- visibility ---

  const styleOf = (element) => defaultView(ownerDocument(element)).getComputedStyle(element);

  const clippedAway = (style) => {
    if (/^(inset\((50|100)%|circle\(0)/.test(style.clipPath)) return true;
    if (style.position !== "absolute" && style.position !== "fixed") return false;
    const sides = /^rect\((-?[\d.]+)px,? (-?[\d.]+)px,? (-?[\d.]+)px,? (-?[\d.]+)px\)$/.exec(style.clip);
    return sides !== null && (sides[3] - sides[1] <= HAIR || sides[2] - sides[4] <= HAIR);
  };

  /** Whether the element hides itself and everything in it, whatever its parents do. */
  const conceals = (element, style, scrolled) => {
    if (style.display === "none" || style.contentVisibility === "hidden") return true;
    if (style.display === "contents") return false;
    // A browser without checkVisibility only misses content of closed <details> and the like.
    if (checkVisibility !== undefined && !checkVisibility(element)) return true;
    if (Number(style.opacity) < 0.02 || clippedAway(style)) return true;
    const rect = getBoundingClientRect(element);
    const clips = style.overflowX !== "visible" && style.overflowY !== "visible";
    if (clips && (rect.width <= HAIR || rect.height <= HAIR)) return true;
    if (scrolled || style.direction === "rtl" || (rect.width === 0 && rect.height === 0)) return false;
    // Left of or above the page: no amount of scrolling shows it. Inner scrollers are exempt (see `scrolled`).
    const view = defaultView(ownerDocument(element));
    const fixed = style.position === "fixed";
    return rect.right + (fixed ? 0 : view.scrollX) <= 0 || rect.bottom + (fixed ? 0 : view.scrollY) <= 0;
  };

  const hasScrolled = (element) =>
    element !== scrollingElement(ownerDocument(element)) && (scrollTop(element) !== 0 || scrollLeft(element) !== 0);

  const paintsText = (style) => {
    if (style.visibility !== "visible" || parseFloat(style.fontSize) < 1) return false;
    if (parseFloat(style.textIndent) <= -999) return false;
    const fill = style.webkitTextFillColor || style.color;
    const clear = /^rgba\(.*, 0\)$|^transparent$/.test(fill);
    return !clear || /text/.test(style.webkitBackgroundClip || style.backgroundClip || "");
  };

  const masksText = (style) => Boolean(style.webkitTextSecurity) && style.webkitTextSecurity !== "none";

  const hasArea = (element) => {
    const rect = getBoundingClientRect(element);
    return rect.width > 0 && rect.height > 0;
  };

  /** In a document, and that document in its frame, and so on up to the page. */
  const isCurrent = (element) => {
    for (let node = element, frames = 0; frames <= FRAME_LIMIT; frames += 1) {
      if (!isConnected(node)) return false;
      const owner = ownerDocument(node);
      if (owner === topDocument) return true;
      const frame = frameOf.get(owner);
      if (frame === undefined || innerDocument(frame) !== owner) return false;
      node = frame;
    }
    return false;
  };

  /** Rendered, with no concealing parent; the element is current. */
  const isShown = (element) => {
    const chain = [];
    for (let node = element; node !== null; ) {
      if (chain.length > DEPTH_LIMIT) return false;
      chain[chain.length] = node;
      const parent = flatParent(node);
      if (parent === undefined) return false;
      const owner = ownerDocument(node);
      node = parent ?? (owner === topDocument ? null : frameOf.get(owner));
    }
    let scrolled = false;
    for (let i = chain.length - 1; i >= 0; i -= 1) {
      const node = chain[i];
      if (i + 1 < chain.length && ownerDocument(node) !== ownerDocument(chain[i + 1])) scrolled = false;
      if (conceals(node, styleOf(node), scrolled)) return false;
      scrolled = scrolled || hasScrolled(node);
    }
    return styleOf(element).visibility === "visible" && hasArea(element);
  };

  /** The visible element that a person would use: the control, or the visible label of a restyled checkbox or radio. */
  const handleOf = (element, role) => {
    if (isShown(element)) return element;
    if ((role !== "checkbox" && role !== "radio") || localName(element) !== "input") return null;
    const labels = labelsOf.input(element);
    for (let i = 0; labels !== null && i < labels.length && i < 8; i += 1) if (isShown(labels[i])) return labels[i];
    return null;
  };

  const isInert = (element) => {
    for (let node = element; node !== null && node !== undefined; node = flatParent(node)) {
      if (hasAttribute(node, "inert")) return true;
    }
    return false;
  };

  const isDisabled = (element) =>
    matches(element, ":disabled") || getAttribute(element, "aria-disabled") === "true" || isInert(element);

  // --- roles, privacy ---

  const ARIA_ROLES = new Map([
    ["button", "button"],
    ["link", "button"],
    ["tab", "button"],
    ["menuitem", "button"],
    ["option", "button"],
    ["treeitem", "button"],
    ["checkbox", "checkbox"],
    ["switch", "checkbox"],
    ["menuitemcheckbox", "checkbox"],
    ["radio", "radio"],
    ["menuitemradio", "radio"],
    ["textbox", "textbox"],
    ["searchbox", "textbox"],
    ["combobox", "combobox"],
    ["listbox", "listbox"],
    ["slider", "slider"],
    ["spinbutton", "unsupported"],
    ["scrollbar", "unsupported"],
  ]);
  const INPUT_ROLES = new Map([
    ["button", "button"],
    ["submit", "button"],
    ["reset", "button"],
    ["image", "button"],
    ["checkbox", "checkbox"],
    ["radio", "radio"],
    ["range", "slider"],
    ["hidden", null],
    ["file", "unsupported"],
    ["color", "unsupported"],
  ]);
  const SECRET_NAME = /(^|[^a-z])(pass(word|code|phrase|wd)?|pwd|otp|cvv2?|cvc2?|csc|ssn|pin|secret|token)([^a-z]|$)/;

  const isEditingHost = (element) => {
    if (!("isContentEditable" in element)) return false;
    try {
      if (!isContentEditable(element)) return false;
      const parent = parentNode(element);
      return parent === null || !isElement(parent) || !("isContentEditable" in parent) || !isContentEditable(parent);
    } catch {
      return false; // an SVG or MathML element
    }
  };

  /** One of the seven reported roles, "unsupported" for a control that no operation can serve, or null. */
  const roleOf = (element) => {
    const name = localName(element);
    if (name === "input") {
      const role = INPUT_ROLES.get(input.type(element));
      return role === undefined ? "textbox" : role;
    }
    if (name === "select") return select.multiple(element) || select.size(element) > 1 ? "listbox" : "combobox";
    if (name === "textarea") return "textbox";
    if (isEditingHost(element)) return "textbox";
    const named = ARIA_ROLES.get((getAttribute(element, "role") ?? "").trim().split(/\s+/)[0].toLowerCase());
    if (named !== undefined) return named;
    if (name === "button" || name === "summary") return "button";
    if (name === "a" && hasAttribute(element, "href")) return "button";
    if ((name === "audio" || name === "video") && hasAttribute(element, "controls")) return "unsupported";
    return hasAttribute(element, "onclick") ? "button" : null;
  };

  const looksSecret = (element, style) => {
    const name = localName(element);
    if (name === "input" && /^(password|hidden|file)$/.test(input.type(element))) return true;
    if (masksText(style)) return true;
    const tokens = (getAttribute(element, "autocomplete") ?? "").toLowerCase();
    if (/(^|\s)(current-password|new-password|one-time-code|cc-[a-z-]+)(\s|$)/.test(tokens)) return true;
    const ids = `${getAttribute(element, "name") ?? ""} ${getAttribute(element, "id") ?? ""}`;
    return SECRET_NAME.test(ids.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase());
  };

  const isSecret = (element, style) => {
    if (secrets.has(element)) return true;
    if (!looksSecret(element, style)) return false;
    secrets.add(element);
    return true;
  };

  // --- labels ---

  const SILENT = new Set(["script", "style", "noscript", "template", "select", "textarea", "input", "head", "object"]);
  const REPLACED = new Set(["iframe", "frame", "embed", "video", "audio", "canvas"]);

  /** Text of a subtree for use as a name: rendered or visually hidden, but neither `display: none` nor field values. */
  const nameText = (work, root) => {
    let text = "";
    const visit = (node, depth) => {
      if (!step(work) || depth > DEPTH_LIMIT || text.length > LABEL_BYTES * 2) return false;
      if (nodeType(node) === 3) {
        text += textData(node).slice(0, LABEL_BYTES * 2);
        return true;
      }
      if (!isElement(node)) return true;
      const name = localName(node);
      if (SILENT.has(name) || REPLACED.has(name)) return true;
      const style = styleOf(node);
      if (style.display === "none" || style.visibility !== "visible" || masksText(style)) return true;
      const given = getAttribute(node, "aria-label") ?? (name === "img" ? getAttribute(node, "alt") : null);
      if (given !== null && node !== root) {
        text += ` ${given.slice(0, LABEL_BYTES * 2)} `;
        return true;
      }
      const inline = style.display.startsWith("inline") || style.display === "contents";
      if (!inline) text += " ";
      eachChild(node, (child) => visit(child, depth + 1));
      if (!inline) text += " ";
      return true;
    };
    visit(root, 0);
    return oneLine(text);
  };

  const labelledBy = (work, element) => {
    const ids = (getAttribute(element, "aria-labelledby") ?? "").split(/\s+/);
    const root = getRootNode(element);
    const texts = [];
    for (let i = 0; i < ids.length && i < 8; i += 1) {
      if (ids[i] === "") continue;
      const found = nodeType(root) === 9 ? documents.getElementById(root, ids[i]) : fragmentById(root, ids[i]);
      if (found !== null) texts[texts.length] = oneLine(getAttribute(found, "aria-label") ?? "") || nameText(work, found);
    }
    return texts.join(" ").trim();
  };

  const nativeLabels = (work, element) => {
    const read = labelsOf[localName(element)];
    const labels = read === undefined ? null : read(element);
    const texts = [];
    for (let i = 0; labels !== null && i < labels.length && i < 8; i += 1) texts[i] = nameText(work, labels[i]);
    return texts.join(" ").trim();
  };

  const buttonText = (element) => {
    if (localName(element) !== "input") return "";
    const kind = input.type(element);
    if (kind === "image") return getAttribute(element, "alt") ?? "";
    if (kind !== "button" && kind !== "submit" && kind !== "reset") return "";
    return input.value(element) || (kind === "submit" ? "Submit" : kind === "reset" ? "Reset" : "");
  };

  const NAMED_BY_CONTENT = new Set(["button", "checkbox", "radio", "combobox"]);

  const labelOf = (work, element, role) => {
    const content = () =>
      NAMED_BY_CONTENT.has(role) && !SILENT.has(localName(element)) ? nameText(work, element) : "";
    const full =
      labelledBy(work, element) ||
      oneLine(getAttribute(element, "aria-label") ?? "") ||
      nativeLabels(work, element) ||
      oneLine(buttonText(element)) ||
      content() ||
      oneLine(getAttribute(element, "placeholder") ?? getAttribute(element, "aria-placeholder") ?? "") ||
      oneLine(getAttribute(element, "title") ?? "") ||
      `unnamed ${role}`;
    const kept = cut(full, LABEL_BYTES).trim();
    if (kept.length < full.length) omit(work, "name_limit");
    return kept;
  };

  // --- references ---

  /** An element keeps its reference while its role and label stay; a changed control gets a new one. */
  const issue = (target) => {
    const current = numbers.get(target.element);
    const known = current === undefined ? undefined : entries[current];
    if (known !== undefined && known.role === target.role && known.label === target.label) {
      return `g${options.generation}-e${current}`;
    }
    const number = entries.length;
    entries[number] = { element: new WeakRef(target.element), role: target.role, label: target.label };
    numbers.set(target.element, number);
    if (number >= REFERENCE_LIMIT) entries[number - REFERENCE_LIMIT] = undefined;
    return `g${options.generation}-e${number}`;
  };

  /** { element, role, handle } of a reference that may be acted upon, or { reason }. */
  const lookUp = (ref) => {
    const parts = /^g(\d{1,15})-e(\d{1,15})$/.exec(ref);
    if (parts === null || Number(parts[1]) !== options.generation) return { reason: "stale" };
    const entry = entries[Number(parts[2])];
    const element = entry?.element.deref();
    if (element === undefined || topWindow.document !== topDocument) return { reason: "stale" };
    if (!isCurrent(element)) return { reason: "stale" };
    const handle = handleOf(element, entry.role);
    if (handle === null) return { reason: "hidden" };
    const work = newWork(0);
    if (roleOf(element) !== entry.role || labelOf(work, element, entry.role) !== entry.label) {
      return { reason: "changed" };
    }
    return { element, role: entry.role, handle };
  };

  const EDITABLE_INPUT = /^(text|search|url|tel|email|password|number|range|date|time|datetime-local|month|week)$/;

  const unfitFor = (need, { element, role }) => {
    if (need === "visible") return null;
    if (isDisabled(element)) return "disabled";
    const name = localName(element);
    if (need === "select") return name === "select" ? null : "not_select";
    if (need === "check") return role === "checkbox" || role === "radio" ? null : "not_checkable";
    if (need !== "edit") return null;
    if (name === "select") return "is_select";
    if (role === "checkbox" || role === "radio") return "is_checkable";
    const editable =
      (name === "input" && EDITABLE_INPUT.test(input.type(element))) || name === "textarea" || isEditingHost(element);
    if (!editable) return "not_editable";
    return matches(element, ":read-only") && !isEditingHost(element) && role !== "slider" ? "read_only" : null;
  };

  /** Whether a date, number or the like would keep this text: tried on a field of the same kind outside the page. */
  const keeps = (element, text) => {
    if (localName(element) !== "input" || !/^(number|range|date|time|datetime-local|month|week)$/.test(input.type(element))) {
      return true;
    }
    const probe = documents.createElement(topDocument, "input");
    for (const name of ["type", "min", "max", "step"]) {
      if (hasAttribute(element, name)) probe.setAttribute(name, getAttribute(element, name));
    }
    probe.value = text;
    return probe.value === text;
  };

  const fitFor = (ref, need) => {
    const found = lookUp(ref);
    if (found.reason !== undefined) return found;
    const reason = unfitFor(need, found);
    return reason === null ? found : { reason };
  };

  /**
   * Playwright acts rightly only on handles made in the element's own frame. An element of another frame is left
   * there under a name that only the driver knows, and the driver collects it in that frame.
   */
  const handOver = (element, token) => {
    if (lent !== null) delete lent.view[lent.token];
    lent = null;
    const owner = ownerDocument(element);
    if (owner === topDocument) return element;
    lent = { view: defaultView(owner), token };
    defineProperty(lent.view, token, { value: element, configurable: true });
    return "lent";
  };

  // --- values and options ---

  const readValue = (work, target, style) => {
    const { element, role } = target;
    const name = localName(element);
    let value;
    if (role === "textbox") {
      if (name === "input") value = input.value(element);
      else if (name === "textarea") value = area.value(element);
      else if (isEditingHost(element)) value = nameText(work, element);
    } else if (role === "slider") {
      const shown = getAttribute(element, "aria-valuetext") ?? getAttribute(element, "aria-valuenow");
      value = name === "input" ? input.value(element) : shown;
    } else if (role === "combobox" && name === "select") value = select.value(element);
    if (value === undefined || value === null) return undefined;
    if (isSecret(element, style)) {
      omit(work, "private");
      return undefined;
    }
    if (!options.reportValues || utf8Length(wellFormed(value)) > VALUE_BYTES) {
      omit(work, "value");
      return undefined;
    }
    return wellFormed(value);
  };

  const readOptions = (work, target) => {
    const { element, role } = target;
    if (localName(element) !== "select") return undefined;
    const source = select.options(element);
    const reported = list();
    for (let i = 0; i < source.length; i += 1) {
      if (reported.length >= OPTION_LIMIT) {
        omit(work, "report_limit");
        break;
      }
      if (!step(work)) break;
      if (hasAttribute(source[i], "hidden")) continue;
      const value = wellFormed(option.value(source[i]));
      if (utf8Length(value) > VALUE_BYTES) {
        omit(work, "value");
        continue;
      }
      const full = oneLine(option.label(source[i])) || "(blank)";
      const label = cut(full, LABEL_BYTES).trim();
      if (label.length < full.length) omit(work, "name_limit");
      const entry = { __proto__: null, label, value };
      if (role === "listbox") entry.selected = option.selected(source[i]);
      reported[reported.length] = entry;
    }
    return reported;
  };

  const checkedState = ({ element }) => {
    if (localName(element) === "input") return input.indeterminate(element) ? "mixed" : input.checked(element);
    const state = getAttribute(element, "aria-checked");
    return state === "mixed" ? "mixed" : state === "true";
  };

  const describe = (work, target) => {
    const { element, role, label } = target;
    const style = styleOf(element);
    const described = { __proto__: null, ref: issue(target), role, label };
    const value = readValue(work, target, style);
    if (value !== undefined) described.value = value;
    const choices = isSecret(element, style) ? undefined : readOptions(work, target);
    if (choices !== undefined) described.options = choices;
    if (role === "checkbox" || role === "radio") described.checked = checkedState(target) === true;
    return described;
  };

  // --- reading ---

  const collectTarget = (work, element, role) => {
    if (role === null || !work.wantTargets) return;
    if (role === "unsupported") {
      omit(work, "unsupported_control");
      return;
    }
    if (work.found.length >= TARGET_LIMIT) {
      omit(work, "target_limit");
      return;
    }
    work.found[work.found.length] = { element, role, label: labelOf(work, element, role) };
  };

  const enterFrame = (work, frame, depth) => {
    const inner = innerDocument(frame);
    if (inner === null || work.frames >= FRAME_LIMIT) {
      omit(work, "frame_limit");
      return;
    }
    work.frames += 1;
    frameOf.set(inner, frame);
    const root = documentElement(inner);
    separate(work.text, "\n");
    if (root !== null && defaultView(inner) !== null) walk(work, root, depth + 1, false);
    separate(work.text, "\n");
  };

  const walkText = (work, node, style) => {
    if (!paintsText(style)) return;
    if (masksText(style)) omit(work, "private");
    else append(work, work.text, textData(node), style.whiteSpace.startsWith("pre"));
  };

  /** What keeps the text of an element apart from the text around it. */
  const markOf = (display, role) => {
    if (display === "inline" || display === "contents") return role === null ? "" : " ";
    return display.startsWith("inline") || display === "table-cell" ? " " : "\n";
  };

  /** Visits one element and what it shows; false when the budget is used up. */
  const walk = (work, element, depth, scrolled) => {
    if (!step(work)) return false;
    if (depth > DEPTH_LIMIT) {
      omit(work, "work_limit");
      return true;
    }
    const name = localName(element);
    const role = roleOf(element);
    const style = styleOf(element);
    if (name === "input" && looksSecret(element, style)) {
      secrets.add(element);
      if (input.type(element) === "hidden" || input.type(element) === "file") omit(work, "private");
    }
    if (conceals(element, style, scrolled)) {
      // A restyled checkbox or radio hides the real one and shows its label.
      const restyled = (role === "checkbox" || role === "radio") && handleOf(element, role) !== null;
      if (restyled) collectTarget(work, element, role);
      return true;
    }
    if (role !== null && style.visibility === "visible" && (hasArea(element) || handleOf(element, role) !== null)) {
      collectTarget(work, element, role);
    }
    if (name === "br") separate(work.text, "\n");
    if (SILENT.has(name) && name !== "object") return true;
    if (name === "iframe" || name === "frame") {
      if (style.visibility === "visible" && hasArea(element)) enterFrame(work, element, depth);
      return true;
    }
    if (name === "object" || name === "embed") {
      if (style.visibility === "visible" && hasArea(element)) omit(work, "unsupported_root");
      return true;
    }
    if (REPLACED.has(name)) return true;
    const mark = markOf(style.display, role);
    if (mark !== "") separate(work.text, mark);
    const below = scrolled || hasScrolled(element);
    const folded = name === "details" && !hasAttribute(element, "open");
    let going = true;
    eachChild(element, (child) => {
      if (folded && !(isElement(child) && localName(child) === "summary")) return true;
      if (isElement(child)) going = walk(work, child, depth + 1, below);
      else if (!step(work)) going = false;
      else if (nodeType(child) === 3) walkText(work, child, style);
      return going;
    });
    if (mark !== "") separate(work.text, mark);
    return going;
  };

  const survey = (textLimit, wantTargets) => {
    const work = newWork(textLimit);
    work.wantTargets = wantTargets;
    const root = documentElement(topDocument);
    if (root !== null) walk(work, root, 0, false);
    work.shown = work.text.parts.join("").trim();
    return work;
  };

  const report = (work, text, targets) => {
    const elements = list();
    let bytes = 0;
    for (let i = 0; i < targets.length; i += 1) {
      const described = describe(work, targets[i]);
      bytes += utf8Length(toJson(described));
      if (bytes > REPORT_LIMIT) {
        omit(work, "report_limit");
        break;
      }
      elements[elements.length] = described;
    }
    return { __proto__: null, version: 1, text, elements, omitted: work.codes };
  };

  // --- search ---

  const ROLE_WORDS = {
    button: "button link",
    textbox: "textbox text box field input",
    combobox: "combobox dropdown select menu",
    listbox: "listbox list select",
    checkbox: "checkbox check box tick",
    radio: "radio option choice",
    slider: "slider range",
  };
  const IDLE_WORDS = new Set(["a", "an", "the", "of", "for", "to", "in", "on", "with", "and", "or"]);

  const fold = (text) => oneLine(text.normalize("NFKC").toLowerCase());

  const wordsOf = (query) => {
    const all = fold(query).split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
    const useful = all.filter((word) => !IDLE_WORDS.has(word));
    return (useful.length > 0 ? useful : all).slice(0, 16);
  };

  const searchable = (target) => {
    const { element, role, label } = target;
    const more = [];
    for (const name of ["title", "placeholder", "alt", "aria-description"]) {
      more[more.length] = (getAttribute(element, name) ?? "").slice(0, LABEL_BYTES);
    }
    if (localName(element) === "select") {
      const choices = select.options(element);
      for (let i = 0; i < choices.length && i < 50; i += 1) more[more.length] = option.label(choices[i]).slice(0, LABEL_BYTES);
    }
    return { strong: fold(label), weak: fold(`${ROLE_WORDS[role]} ${more.join(" ")}`) };
  };

  /** The query as a whole counts most, then its words in the label, then its words in role, hints and options. */
  const score = (query, words, target) => {
    const { strong, weak } = searchable(target);
    let matched = 0;
    let points = query !== "" && strong.includes(query) ? 100 : 0;
    for (const word of words) {
      if (strong.includes(word)) points += 10;
      else if (weak.includes(word)) points += 3;
      else continue;
      matched += 1;
    }
    return matched * 2 >= words.length && points > 0 ? points : 0;
  };

  const matchingLines = (work, query, words) => {
    const sink = newText(TEXT_LIMIT);
    const lines = work.shown.split("\n");
    let kept = 0;
    for (let i = 0; i < lines.length; i += 1) {
      const line = fold(lines[i]);
      if (line === "") continue;
      const hit = (query !== "" && line.includes(query)) || (words.length > 0 && words.every((word) => line.includes(word)));
      if (!hit) continue;
      if (kept >= FOUND_LIMIT) {
        omit(work, "text_limit");
        break;
      }
      kept += 1;
      separate(sink, "\n");
      append(work, sink, lines[i], false);
    }
    return sink.parts.join("");
  };

  const find = (query) => {
    const work = survey(SEARCH_TEXT_LIMIT, true);
    const whole = fold(query);
    const words = wordsOf(query);
    const ranked = [];
    for (const target of work.found) {
      const points = score(whole, words, target);
      if (points > 0) ranked[ranked.length] = { target, points };
    }
    ranked.sort((left, right) => right.points - left.points); // stable, so equals keep document order
    const close = ranked.filter(({ points }) => points * 2 >= ranked[0].points);
    if (close.length > FOUND_LIMIT) omit(work, "target_limit");
    return report(work, matchingLines(work, whole, words), close.slice(0, FOUND_LIMIT).map(({ target }) => target));
  };

  // --- actions ---

  const chooseOptions = (ref, values) => {
    const found = fitFor(ref, "select");
    if (found.reason !== undefined) return { __proto__: null, reason: found.reason };
    const { element } = found;
    if (values.length !== 1 && !select.multiple(element)) return { __proto__: null, reason: "one_value" };
    const choices = select.options(element);
    const read = [option.value, (choice) => oneLine(option.label(choice))];
    const indexes = list();
    for (const wanted of values) {
      let index = -1;
      for (let by = 0; by < read.length && index < 0; by += 1) {
        for (let i = 0; i < choices.length && index < 0; i += 1) if (read[by](choices[i]) === wanted) index = i;
      }
      if (index < 0) return { __proto__: null, reason: "no_option" };
      if (matches(choices[index], ":disabled")) return { __proto__: null, reason: "option_disabled" };
      if (!indexes.includes(index)) indexes[indexes.length] = index;
    }
    let same = true;
    for (let i = 0; i < choices.length; i += 1) same = same && option.selected(choices[i]) === indexes.includes(i);
    return { __proto__: null, indexes, same };
  };

  const deepestAt = (x, y) => {
    let root = topDocument;
    let element = documents.elementFromPoint(root, x, y);
    for (let hops = 0; element !== null && hops < 32; hops += 1) {
      const name = localName(element);
      const inner = name === "iframe" || name === "frame" ? innerDocument(element) : null;
      const shadow = inner === null ? shadowRoot(element) : null;
      if (inner === null && shadow === null) break;
      if (inner !== null) {
        const rect = getBoundingClientRect(element);
        x -= rect.left + clientLeft(element);
        y -= rect.top + clientTop(element);
        frameOf.set(inner, element);
      }
      root = inner ?? shadow;
      const next = inner !== null ? documents.elementFromPoint(root, x, y) : shadows.elementFromPoint(root, x, y);
      if (next === null || next === element) break;
      element = next;
    }
    return element;
  };

  /** Scrolls what lies in the middle of the viewport, or the nearest parent that can still move that way. */
  const scroll = (direction, amount) => {
    const sideways = direction === "left" || direction === "right";
    const distance = Math.min(amount, 1000000) * (direction === "up" || direction === "left" ? -1 : 1);
    const position = sideways ? scrollLeft : scrollTop;
    const offset = { left: sideways ? distance : 0, top: sideways ? 0 : distance, behavior: "instant" };
    let node = deepestAt(topWindow.innerWidth / 2, topWindow.innerHeight / 2) ?? documentElement(topDocument);
    for (let steps = 0; node !== null && node !== undefined && steps < DEPTH_LIMIT; steps += 1) {
      const page = scrollingElement(ownerDocument(node));
      const style = styleOf(node);
      const scrolls = node === page || /auto|scroll/.test(sideways ? style.overflowX : style.overflowY);
      if (scrolls) {
        const before = position(node);
        scrollBy(node, offset);
        const moved = Math.abs(position(node) - before);
        if (moved > 0) return { __proto__: null, moved: Math.round(moved) };
      }
      const parent = flatParent(node);
      node = parent ?? (ownerDocument(node) === topDocument ? null : frameOf.get(ownerDocument(node)));
    }
    return { __proto__: null, moved: 0 };
  };

  const deepestFocus = () => {
    let element = documents.activeElement(topDocument) ?? documentElement(topDocument);
    for (let hops = 0; element !== null && hops < 32; hops += 1) {
      const name = localName(element);
      if (name === "iframe" || name === "frame") {
        const inner = innerDocument(element);
        if (inner === null) return null;
        element = documents.activeElement(inner) ?? documentElement(inner);
        continue;
      }
      const shadow = shadowRoot(element);
      const next = shadow === null ? null : shadows.activeElement(shadow);
      if (next === null) return element;
      element = next;
    }
    return element;
  };

  const viewport = () => ({ __proto__: null, width: topWindow.innerWidth, height: topWindow.innerHeight });

  /**
   * Chooses an element on which a driver can place a pointer action at a point of the viewport, and says where its
   * padding box begins. That is the root element, except in or near its margin and border: Playwright would scroll
   * to get there.
   */
  const aim = (x, y) => {
    aimed = null;
    if (x >= topWindow.innerWidth || y >= topWindow.innerHeight) return { __proto__: null, reason: "outside", ...viewport() };
    for (const element of [documentElement(topDocument), documents.elementFromPoint(topDocument, x, y)]) {
      if (element === null) continue;
      const rect = getBoundingClientRect(element);
      const edge = { x: clientLeft(element), y: clientTop(element) };
      const place = { __proto__: null, x: x - rect.left - edge.x, y: y - rect.top - edge.y };
      if (place.x < 0 || place.y < 0 || x < edge.x || y < edge.y) continue;
      aimed = element;
      return place;
    }
    return { __proto__: null, reason: "nowhere" };
  };

  const operations = {
    __proto__: null,
    read: ({ filter }) => {
      const work = survey(filter === "interactive" ? 0 : TEXT_LIMIT, true);
      if (filter !== "interactive") return report(work, work.shown, work.found);
      const silent = report(work, "", work.found);
      silent.omitted = list();
      for (const code of work.codes) if (code !== "text_limit") silent.omitted[silent.omitted.length] = code;
      return silent;
    },
    text: () => {
      const work = survey(TEXT_LIMIT * 4, false);
      return report(work, work.shown, []);
    },
    find: ({ query }) => find(query),
    shows: ({ text }) => {
      const work = survey(SEARCH_TEXT_LIMIT, false);
      return { __proto__: null, shown: oneLine(work.shown).includes(oneLine(text)) };
    },
    choose: ({ ref, values }) => chooseOptions(ref, values),
    checked: ({ ref }) => {
      const found = fitFor(ref, "check");
      if (found.reason !== undefined) return { __proto__: null, reason: found.reason };
      return { __proto__: null, role: found.role, checked: checkedState(found) };
    },
    scroll: ({ direction, amount }) => scroll(direction, amount),
    viewport,
    aim: ({ x, y }) => aim(x, y),
  };

  return freeze({
    __proto__: null,

    /** Runs one operation and returns its answer as JSON text. Never empty, so a caller can wait for a true value. */
    call: (name, args) => {
      // The first document of a tab can hand its window on to the next one.
      if (topWindow.document !== topDocument) throw new Error("the document is gone");
      return toJson(operations[name](args));
    },

    /** The element of a reference, "lent" (see handOver), or the reason why it may not be used. */
    element: (ref, need, token, text) => {
      const found = fitFor(ref, need);
      if (found.reason !== undefined) return found.reason;
      return need === "edit" && !keeps(found.element, text) ? "bad_value" : handOver(found.handle, token);
    },

    /** The element that has the focus, "lent", or "unreachable" when it is in a frame of another origin. */
    focused: (token) => {
      const element = deepestFocus();
      return element === null ? "unreachable" : handOver(element, token);
    },

    /** The element that the last `aim` chose, or "stale". */
    aimed: () => aimed ?? "stale",
  });
})
