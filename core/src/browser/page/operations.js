// Part of the page script, see open.js: what is done with elements, and the object that the driver keeps.

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
