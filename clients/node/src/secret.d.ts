/** Bytes that are printed nowhere, and overwritten by `wipe`. What is made of them, such as `text()`, is not. */
export class Secret {
  constructor(bytes: Uint8Array);
  /** The bytes themselves, not a copy. */
  get bytes(): Uint8Array;
  get length(): number;
  /** The UTF-8 text in a string, which nothing can wipe. */
  text(): string;
  /** Overwrites the bytes with zeros. */
  wipe(): void;
  toString(): string;
  toJSON(): string;
}

/** Wipes every secret among the values of an answer. */
export function wipeSecrets(answer: object): void;
