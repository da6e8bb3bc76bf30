<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class AuditDigestReply
{
    public function __construct(
        /** at most 76 bytes; hmac-sha256: and 64 digits */
        public readonly string $digest,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
