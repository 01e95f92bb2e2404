// Part of the page script, see open.js: which elements are controls, which are private, and their labels.

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
