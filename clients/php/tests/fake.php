<?php

// A server of the tests' own: sound, or whatever a test makes it. Usage: fake.php PATH OPTIONS, as JSON. It notes connections and requests in PATH.log.

declare(strict_types=1);

[, $path, $options] = $argv;
$how = json_decode($options, true) + ['answer' => null, 'greeting' => null, 'drops' => 0, 'silences' => 0, 'hangUpAfter' => 0, 'unlinks' => false];
$listener = stream_socket_server("unix://$path");
$note = static fn (string $line) => file_put_contents("$path.log", "$line\n", FILE_APPEND);
$note('ready');
$sockets = $served = [];
$requests = 0;
while (true) {
    $reads = [$listener, ...$sockets];
    stream_select($reads, $writes, $others, null);
    foreach ($reads as $socket) {
        if ($socket === $listener) {
            $socket = stream_socket_accept($listener);
            $note('connection');
            if ($how['unlinks']) {
                unlink($path);
            }
            if ($how['greeting'] !== null) {
                fwrite($socket, hex2bin($how['greeting']));
                fclose($socket);
                continue;
            }
            $sockets[(int) $socket] = $socket;
            $served[(int) $socket] = 0;
            continue;
        }
        $hangUp = static function () use (&$sockets, $socket): void {
            unset($sockets[(int) $socket]);
            fclose($socket);
        };
        $length = (string) fread($socket, 4);
        if (strlen($length) < 4) {
            $hangUp();
            continue;
        }
        for ($size = unpack('N', $length)[1], $request = ''; strlen($request) < $size && !feof($socket);) {
            $request .= fread($socket, $size - strlen($request));
        }
        $requests++;
        $note('request ' . bin2hex($request));
        if ($requests <= $how['drops']) {
            $hangUp();
        } elseif ($requests > $how['drops'] + $how['silences']) {
            $body = substr($request, 2, 2) === "\0\5" ? "\x0a" . $request[29] . str_repeat("\xa5", ord($request[29])) : '';
            $sound = pack('NCC', 20 + strlen($body), 1, 0) . substr($request, 2, 10) . str_repeat("\xff", 8) . $body;
            fwrite($socket, $how['answer'] === null ? $sound : hex2bin($how['answer']));
            if ($how['answer'] !== null || ++$served[(int) $socket] === $how['hangUpAfter']) {
                $hangUp();
            }
        }
    }
}
