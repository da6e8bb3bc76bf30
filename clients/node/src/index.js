export { Client } from "./client.js";
export { OPERATORS, SERVICES } from "./endpoint.js";
export * from "./errors.js";
export { jwsCompact, jwsInput } from "./jws.js";
export { Secret, wipeSecrets } from "./secret.js";
export { Token } from "./token.js";
