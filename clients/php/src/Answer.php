<?php

declare(strict_types=1);

namespace Kist;

/** The answer of an operation that gives nothing else. */
final class Answer
{
    public function __construct(
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
