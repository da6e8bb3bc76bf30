<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** What a value for Visa Token Service is for. */
enum VisaType: int
{
    case Mbpac = 1;
    case Mbpad = 2;
    case Mpac = 3;
    case Mpad = 4;

    private const TEXTS = [
        1 => 'mbpac',
        2 => 'mbpad',
        3 => 'mpac',
        4 => 'mpad',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
