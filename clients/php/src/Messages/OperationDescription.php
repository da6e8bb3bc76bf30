<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** An operation that the daemon knows. */
final class OperationDescription
{
    public function __construct(
        /** as in the table of operations */
        public readonly int $opcode = 0,
        /** at most 64 bytes */
        public readonly ?string $name = null,
        /** bytes, header included */
        public readonly int $requestCap = 0,
    ) {
    }
}
