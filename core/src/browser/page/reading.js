// Part of the page script, see open.js: values, options and whole reads.

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
