import { Busy, Disconnected, Rejected, Timeout } from "kist";

/** The status of your own answer to an error of `openPaymentToken`. */
export function statusOf(error) {
  if (error instanceof Rejected) return 422; // quote error.auditSequence to the operator; do not repeat it
  if (error instanceof Busy) return 503; // again in error.retryAfter milliseconds
  if (error instanceof Disconnected || error instanceof Timeout) return 504; // it may be open: again with error.retryKey
  return 500;
}
