// Part of the page script, see open.js: looking for words.

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
