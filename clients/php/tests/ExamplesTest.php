<?php

declare(strict_types=1);

namespace Kist\Tests;

use Kist\Testing\Sandbox;
use PHPUnit\Framework\TestCase;

/** The examples of the pages, which are programs of their own. */
final class ExamplesTest extends TestCase
{
    public function testOnThePages(): void
    {
        foreach (['first' => '../../README.md', 'pay' => '../README.md'] as $name => $page) {
            $this->assertStringContainsString("```php\n" . file_get_contents(__DIR__ . "/examples/$name.php") . "```\n", file_get_contents(__DIR__ . "/$page"));
        }
    }

    public function testExamples(): void
    {
        $sandbox = new Sandbox(DaemonTest::program());
        $run = static function (string $name, string $input = '') use ($sandbox): string {
            $words = [PHP_BINARY, '-d', 'auto_prepend_file=' . __DIR__ . '/../autoload.php', __DIR__ . "/examples/$name.php"];
            $child = proc_open($words, [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, null, ['KIST_ENDPOINT' => $sandbox->endpoint()] + getenv());
            fwrite($pipes[0], $input);
            fclose($pipes[0]);
            $output = stream_get_contents($pipes[1]);
            proc_close($child);
            return $output;
        };
        $this->assertMatchesRegularExpression('~merchant/sandbox/processing-ec active\n.*\n16 random bytes\n$~Ds', $run('first'));
        $token = $sandbox->tokenText(amount: 1499);
        $this->assertMatchesRegularExpression('/^charged a card that ends in \d{4}, 28 characters\n$/D', $run('pay', $token));
        $this->assertMatchesRegularExpression('/^do not repeat it, and quote record \d+ to the operator: rejected/', $run('pay', $token));
        $this->assertStringContainsString('simulator', $run('pay', '{}'));
    }

    public function testClassesAreWhereComposerLooks(): void
    {
        $files = new \RegexIterator(new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(__DIR__ . '/../src')), '/\.php$/');
        $count = 0;
        foreach ($files as $file) {
            $class = 'Kist\\' . strtr(substr((string) $file, strlen(__DIR__ . '/../src/'), -4), '/', '\\');
            $this->assertTrue(class_exists($class) || trait_exists($class) || enum_exists($class), $class);
            $this->assertStringContainsString("\ndeclare(strict_types=1);\n", file_get_contents((string) $file));
            $count++;
        }
        $this->assertGreaterThan(60, $count);
    }
}
