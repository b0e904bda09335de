/**
 * Pins the images of the Dockerfile and docker-compose.yml to the current digests of their tags: `npm run pin-images`.
 * A pinned image is looked up again by its tag. Changes nothing when one registry does not answer.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILES = ['Dockerfile', 'docker-compose.yml'];
/**
 * Matches `FROM node:24 AS x` and `image: apache/kafka:4.2.1`, pinned or not, but no image with a variable, which is
 * built from the tree.
 */
const IMAGE =
  /^(\s*(?:FROM|image:)\s+)([a-z0-9][a-z0-9./_-]*:[A-Za-z0-9_.-]+)(?:@sha256:[0-9a-f]{64})?(?=\s|$)/gm;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Media types of manifests. That of several platforms is first: its digest works on all of them. */
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Returns the images with a tag that a file names, without their digests. */
export function imagesOf(text: string): string[] {
  return [...new Set([...text.matchAll(IMAGE)].map(([, , image = '']) => image))];
}

/** Returns the text with the digest of each of its images. */
export function pin(text: string, digests: ReadonlyMap<string, string>): string {
  return text.replace(
    IMAGE,
    (_all, start: string, image: string) => `${start}${image}@${digests.get(image)}`,
  );
}

/** Returns the URL of an image's manifest at its registry (OCI distribution specification). */
export function manifestUrl(image: string): string {
  const [name = '', tag = ''] = image.split(/:(?=[^/:]*$)/);
  const [first = '', ...rest] = name.split('/');
  if (/[.:]/.test(first)) return `https://${first}/v2/${rest.join('/')}/manifests/${tag}`;
  return `https://registry-1.docker.io/v2/${rest.length === 0 ? `library/${name}` : name}/manifests/${tag}`;
}

/**
 * Returns the digest of a manifest. Requests an anonymous token when the registry requires one. Throws when the
 * registry does not answer.
 */
export async function digestAt(url: string): Promise<string> {
  const ask = (headers: Readonly<Record<string, string>>) =>
    fetch(url, { method: 'HEAD', headers: { accept: MANIFESTS, ...headers } });
  let answer = await ask({});
  const challenge = answer.headers.get('www-authenticate') ?? '';
  if (answer.status === 401) {
    const { realm = '', ...query } = Object.fromEntries(
      [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    );
    const reply = await fetch(`${realm}?${new URLSearchParams(query)}`);
    const { token } = (await reply.json()) as { token: string };
    answer = await ask({ authorization: `Bearer ${token}` });
  }
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !DIGEST.test(digest)) throw new Error(`${url}: no digest, status ${answer.status}`);
  return digest;
}

if (import.meta.main) {
  const texts = new Map(FILES.map((file) => [file, readFileSync(file, 'utf8')]));
  const images = [...new Set([...texts.values()].flatMap(imagesOf))];
  const found = await Promise.all(
    images.map(async (image) => [image, await digestAt(manifestUrl(image))] as const),
  );
  for (const [file, text] of texts) writeFileSync(file, pin(text, new Map(found)));
  for (const [image, digest] of found) console.log(`${image}@${digest}`);
}
