<?php

declare(strict_types=1);

namespace Kist;

/** What is wrong with a message, by the golden vectors' name; `text` is for a person, and has sizes and numbers alone. @internal */
final class Flaw extends \Exception
{
    public function __construct(public readonly string $fault, ?int $field = null, public string $text = '')
    {
        parent::__construct($field === null ? $fault : "$fault $field");
        $this->text = $text === '' ? $this->getMessage() : $text;
    }
}
