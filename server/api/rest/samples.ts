// Sample code for each operation, in four languages, without libraries. It is shown on /docs, and a test runs it.

import { curlOf } from '../../vocabulary/texts/curl.ts';
import type { Method } from './operations.ts';

export const LANGUAGES = ['curl', 'JavaScript', 'Python', 'PHP'] as const;
export type Language = (typeof LANGUAGES)[number];

/** `base`: the address of the server, without a trailing slash. `isText`: the answer is no JSON. */
type Sampled = { method: Method; path: string; body?: unknown; base: string; isText?: boolean };

/** Used in the samples if the server does not know its own address. */
export const SAMPLE_BASE = 'https://footfall.example.com';

/** Returns programs that read the key from the environment variable FOOTFALL_KEY and print the answer. */
export function samplesOf({ method, path, body, base, isText = false }: Sampled): Record<Language, string> {
  const url = `${base}${path}`;
  const json = body === undefined ? undefined : JSON.stringify(body, null, 2);
  if (method === 'DELETE') return deleting(url);
  return json === undefined ? getting(url, isText) : posting(url, json);
}

function getting(url: string, isText: boolean): Record<Language, string> {
  const [js, py] = isText
    ? ['await response.text()', 'response.read().decode()']
    : ['JSON.stringify(await response.json())', 'json.dumps(json.load(response))'];
  return {
    curl: curlOf(url),
    JavaScript: `import { env } from 'node:process';

const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${env.FOOTFALL_KEY}\` },
});
if (!response.ok) throw new Error(await response.text());
console.log(${js});`,
    Python: `import ${isText ? '' : 'json, '}os, urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": "Bearer " + os.environ["FOOTFALL_KEY"]},
)
with urllib.request.urlopen(request) as response:
    print(${py})`,
    PHP: `<?php
$context = stream_context_create(['http' => [
    'header' => 'Authorization: Bearer ' . getenv('FOOTFALL_KEY'),
]]);
echo file_get_contents('${url}', false, $context);`,
  };
}

function deleting(url: string): Record<Language, string> {
  return {
    curl: curlOf(url).replace('curl ', 'curl --request DELETE '),
    JavaScript: `import { env } from 'node:process';

const response = await fetch('${url}', {
  method: 'DELETE',
  headers: { Authorization: \`Bearer \${env.FOOTFALL_KEY}\` },
});
if (!response.ok) throw new Error(await response.text());
console.log(JSON.stringify(await response.json()));`,
    Python: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    method="DELETE",
    headers={"Authorization": "Bearer " + os.environ["FOOTFALL_KEY"]},
)
with urllib.request.urlopen(request) as response:
    print(json.dumps(json.load(response)))`,
    PHP: `<?php
$context = stream_context_create(['http' => [
    'method' => 'DELETE',
    'header' => 'Authorization: Bearer ' . getenv('FOOTFALL_KEY'),
]]);
echo file_get_contents('${url}', false, $context);`,
  };
}

function posting(url: string, json: string): Record<Language, string> {
  const literal = json.replaceAll('\n', '\n  ');
  return {
    curl: `curl --fail-with-body -H "Authorization: Bearer $FOOTFALL_KEY" \\
  -H 'Content-Type: application/json' \\
  --data '${json}' \\
  '${url}'`,
    JavaScript: `import { env } from 'node:process';

const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${env.FOOTFALL_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${literal}),
});
if (!response.ok) throw new Error(await response.text());
console.log(JSON.stringify(await response.json()));`,
    Python: `import json, os, urllib.request

body = ${json}
request = urllib.request.Request(
    "${url}",
    data=json.dumps(body).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["FOOTFALL_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.dumps(json.load(response)))`,
    PHP: `<?php
$body = <<<'JSON'
${json}
JSON;
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer ' . getenv('FOOTFALL_KEY'),
        'Content-Type: application/json',
    ],
    'content' => $body,
]]);
echo file_get_contents('${url}', false, $context);`,
  };
}
