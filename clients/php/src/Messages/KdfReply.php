<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

use Kist\Secret;

/** One of the two. */
final class KdfReply
{
    public function __construct(
        /** 16 bytes; of the derived key; absent where it is released */
        public readonly ?string $handle = null,
        /** at most 256 bytes; only where it is released */
        public readonly ?Secret $derivedKey = null,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
