// Part of the page script, see open.js: text of a page, and what a report collects.

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
