/*
 * The page script: how a browser driver reads a page and finds the element behind a reference (B-41, D-1).
 *
 * The parts in this folder, joined in the order of `core/src/browser/page.rs`, are one function expression. A driver
 * evaluates `(<the script>)(options)` once in the main frame of a document and keeps the returned object as a handle;
 * nothing is stored where the page could find it. The object dies with its document, and so does every reference that
 * it gave out.
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
