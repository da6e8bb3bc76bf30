<?php

// For those who do without Composer: PSR-4 of src.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/src/' . str_replace('\\', '/', substr($class, 5)) . '.php';
    if (str_starts_with($class, 'Kist\\') && is_file($file)) {
        require $file;
    }
});
