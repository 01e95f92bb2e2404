/** Tagged values: what plain JSON cannot carry, or would carry at great length. */

/** An object with a class of its own. */
class Instance {
  constructor(fields) {
    Object.assign(this, fields);
  }
}

class ListSubclass extends Array {}

/** No value: as a field it is left out. */
const UNDEFINED = Symbol('undefined');

/** `value` with every tagged value replaced by what it stands for. */
export function untag(value) {
  const result = replace(value);
  return result === UNDEFINED ? undefined : result;
}

function replace(value) {
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== 'object' || value === null) return value;
  if ('$utf16' in value) return String.fromCharCode(...value.$utf16);
  if ('$repeat' in value) return untag(value.$repeat[0]).repeat(value.$repeat[1]);
  if ('$concat' in value) return value.$concat.map(untag).join('');
  if ('$number' in value) return Number(value.$number);
  if ('$undefined' in value) return UNDEFINED;
  if ('$host' in value) return inHostType(value.$host, untag(value.value));
  const fields = Object.entries(value).map(([name, field]) => [name, replace(field)]);
  // Unlike an assignment this makes a field of any name, `__proto__` as well.
  return Object.fromEntries(fields.filter(([, field]) => field !== UNDEFINED));
}

function inHostType(kind, value) {
  switch (kind) {
    case 'str_subclass':
      return new String(value);
    case 'dict_subclass':
      return new Instance(value);
    case 'list_subclass':
      return ListSubclass.from(value);
    case 'tuple':
      return Object.freeze([...value]);
    case 'bytes':
      return new TextEncoder().encode(value);
    default:
      throw new Error(`unknown host type ${kind}`);
  }
}
