<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** One of the two. */
final class TokeniseReply
{
    public function __construct(
        /** at most 32 bytes; digits */
        public readonly ?string $surrogate = null,
        /** at most 66048 bytes */
        public readonly ?string $envelope = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
