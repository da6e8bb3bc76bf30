<?php

declare(strict_types=1);

namespace Kist;

/** More than one key has such a label; the text names them. */
final class SeveralKeysException extends KistException
{
}
