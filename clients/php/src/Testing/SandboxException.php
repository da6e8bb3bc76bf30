<?php

declare(strict_types=1);

namespace Kist\Testing;

/** `kist` was not found, or did not do it; the text is its output. */
final class SandboxException extends \RuntimeException
{
}
