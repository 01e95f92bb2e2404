// Part of the page script, see open.js: references to elements, and whether they still hold.

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
