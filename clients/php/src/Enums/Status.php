<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Enums;

/** What came of a request, as the reply's header says it. */
enum Status: int
{
    case Ok = 0;
    case Malformed = 1;
    case Unsupported = 2;
    case Denied = 3;
    case Rejected = 4;
    case Busy = 5;
    case Locked = 6;
    case AuditUnavailable = 7;
    case Internal = 8;
    case ApprovalNeeded = 9;

    private const TEXTS = [
        0 => 'ok',
        1 => 'malformed',
        2 => 'unsupported',
        3 => 'denied',
        4 => 'rejected',
        5 => 'busy',
        6 => 'locked',
        7 => 'audit-unavailable',
        8 => 'internal',
        9 => 'approval-needed',
    ];

    /** Its name in policy and documents. */
    public function text(): string
    {
        return self::TEXTS[$this->value];
    }
}
