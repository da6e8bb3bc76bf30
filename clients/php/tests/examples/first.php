<?php

use Kist\Client;

$client = new Client();
foreach ($client->keys() as $key) {
    echo "$key->label $key->state\n";
}
echo $client->random(16)->length(), " random bytes\n";
