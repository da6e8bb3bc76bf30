<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** A card's number by its surrogate. */
final class AccountSurrogate
{
    public function __construct(
        /** at most 32 bytes */
        public readonly string $surrogate,
        /** 16 bytes: the key that made it */
        public readonly string $key,
        /** at most 255 bytes */
        public readonly ?string $merchantIdentifier = null,
    ) {
    }
}
