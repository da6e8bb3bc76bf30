<?php

declare(strict_types=1);

namespace Kist;

use Kist\Enums\PassField;
use Kist\Enums\ReleasedField;
use Kist\Enums\Stage;
use Kist\Enums\Status;

/** The daemon refused: `status` says why, and `auditSequence` is the record to quote to the operator, null if there is none. */
final class RefusedException extends KistException
{
    public function __construct(
        public readonly Status $status,
        public readonly int|string|null $auditSequence,
        /** Of `Rejected`: the check that failed, if policy shows it and this client knows it. */
        public readonly ?Stage $stage = null,
        public readonly ?PassField $field = null,
        /** The required field that is not released, at stage `not-released`; the token can still be opened. */
        public readonly ?ReleasedField $releasedField = null,
        /** Of `Malformed`: the field that broke a bound. */
        public readonly ?string $why = null,
        /** Of `Busy`: the milliseconds until the same call can succeed; null if not told. */
        public readonly ?int $retryAfter = null,
        /** Of `ApprovalNeeded`: what an operator approves by, `kist approve REQUEST`, and the second since 1970 from which it is forgotten. */
        public readonly ?string $request = null,
        public readonly int|string|null $until = null,
        /** Whether the daemon closes the connection after it. */
        public readonly bool $endsConnection = false,
    ) {
        $parts = [
            $status->text(),
            $stage === null ? null : "at stage {$stage->text()}",
            ($releasedField ?? $field)?->text(),
            $why,
            $retryAfter === null ? null : "for $retryAfter ms",
            $request === null ? null : "kist approve $request",
            $auditSequence === null ? null : "audit record $auditSequence",
        ];
        parent::__construct(implode(', ', array_filter($parts, is_string(...))));
    }
}
