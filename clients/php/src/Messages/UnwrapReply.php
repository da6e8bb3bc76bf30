<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class UnwrapReply
{
    public function __construct(
        /** 16 bytes; of the key that was wrapped */
        public readonly string $handle,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
