<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

/** What one grant gives the caller; whom else it covers is left out. */
final class Right
{
    public function __construct(
        /** at most 64 bytes; its id in the policy */
        public readonly ?string $grant = null,
        /**
         * at most 64 bytes; names
         *
         * @var list<string>
         */
        public readonly array $operations = [],
        /**
         * at most 128 bytes; labels, and prefixes that end in *
         *
         * @var list<string>
         */
        public readonly array $keys = [],
        /**
         * at most 64 bytes
         *
         * @var list<string>
         */
        public readonly array $released = [],
        /** whether rejections name theirs */
        public readonly bool $stages = false,
        /** at most 32 bytes; such as 200/s */
        public readonly ?string $rate = null,
        /** at most 32 bytes; such as 5000/d */
        public readonly ?string $quota = null,
        /** at most 32 bytes */
        public readonly ?string $keyQuota = null,
        /** the first second at which it is not in force; zero for no end */
        public readonly int|string $until = 0,
        /**
         * at most 32 bytes; such as mon-fri 08:00-18:00, UTC
         *
         * @var list<string>
         */
        public readonly array $hours = [],
    ) {
    }
}
