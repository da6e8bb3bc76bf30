import type { Client, ClientOptions, Token } from "./index.js";

/** `kist` was not found, or did not do it; the text is its output. */
export class SandboxError extends Error {}

export interface SandboxOptions {
  /** The `kist` command; else the environment's `KIST_PROGRAM`, else that of `PATH`. */
  program?: string;
  /** Settings in the form of kist.toml, besides those of every sandbox. */
  config?: string;
  /** Grants in front of those of every sandbox. */
  policy?: string;
  /** The moment at which its clock stands, such as `2026-11-20T09:30:00Z`. */
  at?: string;
}

/** Options of a command of `kist sandbox`, named as in JavaScript: `{ amount: 1499, stale: true }`. */
export type CommandOptions = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * A daemon of a test's own: the production daemon on a throw-away directory with a test Apple PKI.
 *
 * ```js
 * const sandbox = await Sandbox.start();
 * const opened = await sandbox.client().openPaymentToken(await sandbox.token({ amount: 1499 }));
 * await sandbox.remove();
 * ```
 */
export class Sandbox {
  private constructor();
  /** Makes a sandbox and starts its daemon. */
  static start(options?: SandboxOptions): Promise<Sandbox>;
  /** Everything that the daemon has. */
  get directory(): string;
  /** The endpoint for services. */
  get endpoint(): string;
  /** The endpoint for operators. */
  get operatorsEndpoint(): string;
  /** A client of the services' socket. */
  client(options?: ClientOptions): Client;
  /** A client of the operators' socket. */
  operator(options?: ClientOptions): Client;
  /** A fresh token as Apple would make it: the options of `kist sandbox token`. */
  token(options?: CommandOptions): Promise<Token>;
  /** The same as Apple's JSON. */
  tokenText(options?: CommandOptions): Promise<string>;
  /** What a phone sends an issuer's host to add a card: in base64. */
  passRequest(options?: CommandOptions): Promise<{ certificates: string[]; nonce: string; nonceSignature: string }>;
  /** What Apple and the payment network find in an answer of `provisionPass`; throws `SandboxError` where they would refuse it. */
  passOpen(
    answer: { encryptedPassData?: Uint8Array; ephemeralPublicKey?: Uint8Array; activationData?: Uint8Array },
    options?: CommandOptions,
  ): Promise<Record<string, unknown>>;
  /** Starts the daemon again; resolves when it serves. It ends with this process, even where that is killed. */
  start(): Promise<void>;
  /** Stops the daemon in order; `start` starts it again on the same keys and log. */
  stop(): Promise<void>;
  /** Kills the daemon as a crash would. */
  kill(): Promise<void>;
  /** Stops the daemon and removes everything. */
  remove(): Promise<void>;
}
