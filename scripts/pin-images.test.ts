import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { imagesOf, pin } from './pin-images.ts';

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
