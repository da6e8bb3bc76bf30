<?php

declare(strict_types=1);

namespace Kist;

/** No key has such a label, or none that the caller may list. */
final class NoSuchKeyException extends KistException
{
}
