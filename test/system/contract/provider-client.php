<?php
// Reads every answer with the provider's PHP client: php provider-client.php <folder of the client> <url> <client id> <secret>
// <standings id>. Prints a line of JSON for each: what was asked, and null or the error.
[, $folder, $url, $id, $secret, $standings] = $argv;
error_reporting(E_ALL & ~E_DEPRECATED);
foreach (['Symfony/Component/Serializer', 'Symfony/Component/PropertyInfo', 'Symfony/Component/PropertyAccess', 'Symfony/Component/HttpFoundation', 'GuzzleHttp', 'phpDocumentor/Reflection'] as $part) {
    foreach (["$folder/vendor/autoload.php", "/usr/share/php/$part/autoload.php"] as $file) if (is_file($file)) { require_once $file; break; }
}
spl_autoload_register(function ($class) use ($folder) {
    $file = "$folder/lib/" . strtr($class, '\\', '/') . '.php';
    if (is_file($file)) require_once $file;
});

$client = new Statscore\Client((int) $id, $secret, $url);
$client->setToken($client->authorize()->getToken());
$asked = [
    'sports' => fn() => $client->sports->getAll(),
    'sports/5' => fn() => $client->sports->get(5),
    'areas' => fn() => $client->areas->getAll(),
    'languages' => fn() => $client->languages->getAll(),
    'statuses' => fn() => $client->statuses->getAll(),
    'incidents' => fn() => $client->incidents->getAll(),
    'competitions' => fn() => $client->competitions->getAll(),
    'stages' => fn() => $client->stages->getAll(),
    'standings' => fn() => $client->standings->getAll(),
    'standings/{id}' => fn() => $client->standings->get((int) $standings),
    'standings-types' => fn() => $client->standings->types(5),
    'livescore' => fn() => $client->livescore->getAll(),
    'events' => fn() => $client->events->getAll(['season_id' => 20]),
    'events/{id}' => fn() => $client->events->get(1005),
    'feed' => fn() => $client->feeds->getAll(),
    'feed/{id}' => fn() => $client->feeds->get(1005),
];
foreach ($asked as $name => $ask) {
    $error = null;
    try {
        $ask();
    } catch (Throwable $thrown) {
        $error = $thrown->getMessage();
    }
    echo json_encode(['asked' => $name, 'error' => $error]), "\n";
}
