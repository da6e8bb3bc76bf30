<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class DescribeReply
{
    public function __construct(
        /** at most 64 bytes */
        public readonly ?string $productVersion = null,
        /** 1 */
        public readonly int $wireVersion = 0,
        /**
         * all that the daemon knows
         *
         * @var list<OperationDescription>
         */
        public readonly array $operations = [],
        public readonly int $inFlight = 0,
        public readonly bool $rehearsal = false,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
