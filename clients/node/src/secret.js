import { inspect } from "node:util";

/** Bytes that are printed nowhere, and overwritten by `wipe`. What is made of them, such as `text()`, is not. */
export class Secret {
  #bytes;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  /** The bytes themselves, not a copy. */
  get bytes() {
    return this.#bytes;
  }

  get length() {
    return this.#bytes.length;
  }

  /** The UTF-8 text in a string, which nothing can wipe. */
  text() {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes);
  }

  /** Overwrites the bytes with zeros. */
  wipe() {
    this.#bytes.fill(0);
  }

  toString() {
    return `[secret of ${this.length} bytes]`;
  }

  toJSON() {
    return this.toString();
  }

  [inspect.custom]() {
    return this.toString();
  }
}

/** Wipes every secret among the values of an answer. */
export function wipeSecrets(answer) {
  for (const value of Object.values(answer)) if (value instanceof Secret) value.wipe();
}
