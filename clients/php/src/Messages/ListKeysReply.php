<?php

// Written by proto/generate.py from kist.proto: do not edit.

declare(strict_types=1);

namespace Kist\Messages;

final class ListKeysReply
{
    public function __construct(
        /**
         * @var list<KeyDescription>
         */
        public readonly array $keys = [],
        public readonly bool $more = false,
        /** The record of the request in the audit log; null if there is none. */
        public readonly int|string|null $auditSequence = null,
    ) {
    }
}
