<?php

declare(strict_types=1);

namespace Kist;

/** The endpoint is not unix:/PATH. */
final class EndpointException extends KistException
{
}
