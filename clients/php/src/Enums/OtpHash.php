<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** The hash of a counted or timed code. */
enum OtpHash: int
{
    case Sha1 = 1;
    case Sha256 = 2;
    case Sha512 = 3;

    private const TEXTS = [
        1 => 'sha1',
        2 => 'sha256',
        3 => 'sha512',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
