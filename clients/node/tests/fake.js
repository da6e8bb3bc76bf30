// A server of the tests' own: sound, or whatever a test makes it.

import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Answers `random` with bytes of A5 and everything else with nothing.
 *
 * `answer`: to the first request, in place of a sound one; then it hangs up. `greeting`: is sent to whom connects, who is then hung up on.
 * `drops`: so many requests, the first ones, are taken and hung up on. `silences`: so many are taken and never answered. `holds`: answers wait
 * until `release`. `hangUpAfter`: requests on one connection.
 */
export class FakeServer {
  connections = 0;
  requests = [];
  #held = [];
  #sockets = new Set();

  static async start(how = {}) {
    const server = new FakeServer();
    server.how = { drops: 0, silences: 0, hangUpAfter: 0, ...how };
    server.folder = mkdtempSync(join(tmpdir(), "kist-fake-"));
    server.endpoint = `unix:${server.folder}/fake.sock`;
    server.listener = net.createServer((socket) => server.#serve(socket));
    await new Promise((resolve) => server.listener.listen(`${server.folder}/fake.sock`, resolve));
    return server;
  }

  release() {
    for (const answer of this.#held.splice(0)) answer();
    this.how.holds = false;
  }

  /** Its ends of the connections. */
  sockets() {
    return [...this.#sockets];
  }

  async stop() {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.listener.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #serve(socket) {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    if (this.how.greeting) return socket.end(this.how.greeting);
    let arrived = Buffer.alloc(0);
    let served = 0;
    socket.on("data", (chunk) => {
      arrived = Buffer.concat([arrived, chunk]);
      while (arrived.length >= 4 && arrived.length >= 4 + arrived.readUInt32BE(0)) {
        const size = 4 + arrived.readUInt32BE(0);
        this.#take(socket, arrived.subarray(4, size), ++served);
        arrived = arrived.subarray(size);
      }
    });
  }

  #take(socket, request, served) {
    const { drops, silences, holds, answer, hangUpAfter } = this.how;
    this.requests.push(request);
    if (this.requests.length <= drops) return socket.destroy();
    if (this.requests.length <= drops + silences) return;
    const give = () => (answer ? socket.end(answer) : socket.write(reply(request), () => served === hangUpAfter && socket.end()));
    if (holds) this.#held.push(give);
    else give();
  }
}

/** A sound reply to what stands behind the length field. */
export function reply(request) {
  const isRandom = request.readUInt16BE(2) === 5;
  const body = isRandom ? Buffer.concat([Buffer.from([0x0a, request[29]]), Buffer.alloc(request[29], 0xa5)]) : Buffer.alloc(0);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(20 + body.length, 0);
  head[4] = 1;
  request.copy(head, 6, 2, 4);
  return Buffer.concat([head, request.subarray(4, 12), Buffer.alloc(8, 0xff), body]);
}

/** A refusal; `busy` without a wait is about the connection [WIRE-24]. */
export function refusal(status, { wait = 0, opcode = 0x11, requestId = 1n } = {}) {
  const body = wait ? Buffer.from([8, wait]) : Buffer.alloc(0);
  const frame = Buffer.alloc(24);
  frame.writeUInt32BE(20 + body.length, 0);
  frame[4] = 1;
  frame[5] = status;
  if (status !== 5 || wait) {
    frame.writeUInt16BE(opcode, 6);
    frame.writeBigUInt64BE(requestId, 8);
  }
  frame.writeBigUInt64BE(41n, 16);
  return Buffer.concat([frame, body]);
}
