// A sandbox daemon for tests: the production daemon on a throw-away directory with a test Apple PKI.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "./client.js";
import { Token } from "./token.js";

const START_MOST = 60_000;

/** `kist` was not found, or did not do it; the text is its output. */
export class SandboxError extends Error {
  name = "SandboxError";
}

/** A daemon of a test's own; `stop` and `start` keep its keys and log, `remove` ends everything. */
export class Sandbox {
  #program;
  #folder;
  #daemon = null;

  /**
   * Makes a sandbox and starts its daemon. `program` is the `kist` command, else the environment's `KIST_PROGRAM`, else that of `PATH`; `config`
   * and `policy` are TOML, settings and grants besides those of every sandbox; `at` is the moment at which its clock stands.
   */
  static async start({ program, config = "", policy = "", at } = {}) {
    const sandbox = new Sandbox();
    sandbox.#program = program ?? process.env.KIST_PROGRAM ?? "kist";
    sandbox.#folder = await mkdtemp(join(tmpdir(), "kist-"));
    try {
      const files = [];
      for (const [kind, text] of Object.entries({ config, policy })) if (text) files.push(`--${kind}`, await sandbox.#file(`${kind}.toml`, text));
      await sandbox.#kist(["sandbox", "init", ...(at ? ["--at", at] : []), ...files, sandbox.directory]);
      await sandbox.start();
      return sandbox;
    } catch (error) {
      await sandbox.remove();
      throw error;
    }
  }

  /** Everything that the daemon has. */
  get directory() {
    return join(this.#folder, "box");
  }

  /** The endpoint for services. */
  get endpoint() {
    return `unix:${this.directory}/run/kist.sock`;
  }

  /** The endpoint for operators. */
  get operatorsEndpoint() {
    return `unix:${this.directory}/run/admin.sock`;
  }

  /** A client of the services' socket. */
  client(options = {}) {
    return new Client({ endpoint: this.endpoint, ...options });
  }

  /** A client of the operators' socket. */
  operator(options = {}) {
    return new Client({ endpoint: this.operatorsEndpoint, ...options });
  }

  /** A fresh token as Apple would make it: the options of `kist sandbox token`, such as `{ amount: 1499, stale: true }`. */
  async token(options = {}) {
    return Token.fromApple(await this.tokenText(options));
  }

  /** The same as Apple's JSON. */
  tokenText(options = {}) {
    return this.#kist(["sandbox", "token", "--dir", this.directory, ...flags(options)]);
  }

  /** What a phone sends an issuer's host to add a card: `certificates`, `nonce` and `nonceSignature` in base64. */
  async passRequest(options = {}) {
    return JSON.parse(await this.#kist(["sandbox", "pass-request", "--dir", this.directory, ...flags(options)]));
  }

  /** What Apple and the payment network find in an answer of `provisionPass`; throws `SandboxError` where they would refuse it. */
  async passOpen(answer, options = {}) {
    const names = ["encryptedPassData", "ephemeralPublicKey", "activationData"];
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, Buffer.from(answer[name] ?? []).toString("base64")])));
    return JSON.parse(await this.#kist(["sandbox", "pass-open", "-", "--dir", this.directory, ...flags(options)], text));
  }

  /** Starts the daemon again; resolves when it serves. It ends with this process, even where that is killed. */
  async start() {
    // The kernel kills it with whoever started it.
    const words = ["--pdeathsig", "KILL", "--", this.#program, "sandbox", "run", "--dir", this.directory];
    const daemon = spawn("setpriv", words, { stdio: ["ignore", "ignore", "pipe"] });
    this.#daemon = daemon;
    const said = [];
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new SandboxError(`kistd did not start: ${said.join("\n")}`)), START_MOST);
      const settle = (how, value) => {
        clearTimeout(late);
        how(value);
      };
      daemon.once("error", (error) => settle(reject, new SandboxError(`setpriv: ${error.code}`)));
      daemon.once("exit", () => settle(reject, new SandboxError(`kistd did not start: ${said.join("\n")}`)));
      createInterface({ input: daemon.stderr }).on("line", (line) => {
        if (said.length < 1000) said.push(line);
        if (line.includes("event=ready")) settle(resolve);
      });
    });
  }

  /** Stops the daemon in order; `start` starts it again on the same keys and log. */
  stop() {
    return this.#end("SIGTERM");
  }

  /** Kills the daemon as a crash would. */
  kill() {
    return this.#end("SIGKILL");
  }

  /** Stops the daemon and removes everything. */
  async remove() {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #end(signal) {
    const daemon = this.#daemon;
    this.#daemon = null;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const ended = new Promise((resolve) => daemon.once("exit", resolve));
    daemon.kill(signal);
    await ended;
  }

  async #file(name, text) {
    const path = join(this.#folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  #kist(words, input = "") {
    return new Promise((resolve, reject) => {
      const child = execFile(this.#program, words, { maxBuffer: 2 ** 24 }, (error, output, said) => {
        if (!error) resolve(output);
        else reject(new SandboxError(typeof error.code === "string" ? `${this.#program}: ${error.code}; give program, or set KIST_PROGRAM` : said.trim()));
      });
      child.stdin.end(input);
    });
  }
}

/** The options of a command, named as in JavaScript; one that is false, null or undefined is not given. */
function flags(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === false) return [];
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return value === true ? [flag] : [flag, String(value)];
  });
}
