<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** What stands in the audit log as a keyed digest only. */
enum DigestField: int
{
    case Transaction = 1;
    case Pan = 2;
    case Subject = 3;

    private const TEXTS = [
        1 => 'transaction',
        2 => 'pan',
        3 => 'subject',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
