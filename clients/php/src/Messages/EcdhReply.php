<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Secret;

/** One of the two. */
final class EcdhReply
{
    public function __construct(
        /** 16 bytes; of Z; absent where it is released */
        public readonly ?string $handle = null,
        /** Z: 32 or 48 bytes */
        public readonly ?Secret $sharedSecret = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
