// JSON as strictly as the daemon's own programs read it: unambiguous and bounded.

const DEPTH = 16;
const VALUES = 1024;
const MEMBERS = 64;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * The value of a whole text, without prototypes. Throws `SyntaxError` if it is not RFC 8259, names a member twice, has half a surrogate pair,
 * or has more or deeper values than the bounds allow.
 */
export function parse(text) {
  JSON.parse(text); // only what is JSON goes to the reader below
  const tokens = text.match(TOKEN);
  let at = 0;
  let count = 0;

  const value = (depth) => {
    if (++count > VALUES) throw new SyntaxError("too many values");
    const token = tokens[at++];
    if (token === "{") return members(nested(depth));
    if (token === "[") return elements(nested(depth));
    return token[0] === '"' ? string(token) : JSON.parse(token);
  };
  const members = (depth) => {
    const found = Object.create(null);
    for (let number = 0; tokens[at] !== "}"; number++) {
      if (tokens[at] === ",") at++;
      if (number === MEMBERS || ++count > VALUES) throw new SyntaxError("too many members");
      const name = string(tokens[at]);
      at += 2; // and the colon
      if (name in found) throw new SyntaxError("a name is there twice");
      found[name] = value(depth);
    }
    at++;
    return found;
  };
  const elements = (depth) => {
    const found = [];
    while (tokens[at] !== "]") {
      if (tokens[at] === ",") at++;
      found.push(value(depth));
    }
    at++;
    return found;
  };
  return value(0);
}

function nested(depth) {
  if (depth === DEPTH) throw new SyntaxError("too deep");
  return depth + 1;
}

function string(token) {
  const text = JSON.parse(token);
  if (/\p{Surrogate}/u.test(text)) throw new SyntaxError("half a surrogate pair");
  return text;
}
