import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { serve } from '#service/testing/serve.ts';
import { digestAt, imagesOf, manifestUrl, pin } from './pin-images.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const [A, B] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];

test('imagesOf finds every image of the tree that is not built from it', () => {
  expect(imagesOf(read('Dockerfile'))).toEqual(['node:24.21.0-bookworm-slim']);
  expect(imagesOf(read('docker-compose.yml'))).toEqual([
    'apache/kafka:4.2.1',
    'apicurio/apicurio-registry:3.0.9',
    'prom/prometheus:v3.5.0',
    'grafana/grafana:12.1.1',
  ]);
});

test('pin writes digests, and replaces existing ones', () => {
  const text = `FROM node:24 AS x\nFROM node:24\n    image: apache/kafka:4.2.1\n    image: touchline:\${TAG:-local}\n`;
  const pinned = pin(
    text,
    new Map([
      ['node:24', A],
      ['apache/kafka:4.2.1', A],
    ]),
  );
  expect(pinned).toBe(
    `FROM node:24@${A} AS x\nFROM node:24@${A}\n    image: apache/kafka:4.2.1@${A}\n    image: touchline:\${TAG:-local}\n`,
  );
  expect(imagesOf(pinned)).toEqual(['node:24', 'apache/kafka:4.2.1']);
  expect(
    pin(
      pinned,
      new Map([
        ['node:24', B],
        ['apache/kafka:4.2.1', B],
      ]),
    ),
  ).toBe(pinned.replaceAll(A, B));
});

test.each([
  ['node:24', 'https://registry-1.docker.io/v2/library/node/manifests/24'],
  ['apache/kafka:4.2.1', 'https://registry-1.docker.io/v2/apache/kafka/manifests/4.2.1'],
  ['quay.io/a/b:1', 'https://quay.io/v2/a/b/manifests/1'],
])('the manifest of %s is at %s', (image, url) => {
  expect(manifestUrl(image)).toBe(url);
});

describe('digestAt', () => {
  test('sends the token that the registry issues', async () => {
    const origin: string = await serve(({ url = '', headers }, response) => {
      if (url.startsWith('/token?')) {
        expect(url).toBe('/token?service=registry&scope=repository%3Aa%3Apull');
        response.end(JSON.stringify({ token: 'given' }));
      } else if (headers.authorization === 'Bearer given') {
        response.writeHead(200, { 'docker-content-digest': A }).end();
      } else {
        const challenge = `Bearer realm="${origin}/token",service="registry",scope="repository:a:pull"`;
        response.writeHead(401, { 'www-authenticate': challenge }).end();
      }
    });
    expect(await digestAt(`${origin}/v2/a/manifests/1`)).toBe(A);
  });

  test.each([
    ['an unknown tag', 404, A],
    ['no digest', 200, 'none'],
  ])('throws on %s', async (_name, status, digest) => {
    const origin = await serve((_request, response) =>
      response.writeHead(status, { 'docker-content-digest': digest }).end(),
    );
    await expect(digestAt(`${origin}/v2/a/manifests/1`)).rejects.toThrow(`no digest, status ${status}`);
  });
});
