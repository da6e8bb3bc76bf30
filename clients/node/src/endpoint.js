import { EndpointError } from "./errors.js";

/** The services' socket of an installed daemon. */
export const SERVICES = "unix:/run/kist/kist.sock";
/** The operators' socket. */
export const OPERATORS = "unix:/run/kist/admin.sock";

/**
 * The path in `unix:/PATH`; undefined means the environment's `KIST_ENDPOINT`, else the usual socket. An empty `KIST_ENDPOINT` is one that is
 * not set; an empty `endpoint` is none. Throws `EndpointError`.
 */
export function socketPath(endpoint = process.env.KIST_ENDPOINT || SERVICES) {
  const path = /^unix:(\/[^\0]*)$/s.exec(endpoint)?.[1];
  if (!path) throw new EndpointError(endpoint);
  return path;
}
