<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class WhoReply
{
    public function __construct(
        /** as the kernel says */
        public readonly int $uid = 0,
        /** as the kernel says */
        public readonly int $gid = 0,
        /** at most 256 bytes; absent where the daemon sees none */
        public readonly ?string $unit = null,
        /**
         * what the caller may do on this socket
         *
         * @var list<Right>
         */
        public readonly array $rights = [],
        /** some of it did not fit */
        public readonly bool $more = false,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
