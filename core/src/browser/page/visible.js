// Part of the page script, see open.js: the tree as it is shown, and what of it can be seen.

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
