import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';

const ASSETS_PATH = '/board/assets/';
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
/** The script of a worker, which a page does not load itself. */
const WORKER = 'metronome.ts';

let loaded: ReturnType<typeof loadAssets> | undefined;

/** Returns the styles, icons and scripts of the board; reads them once. */
export const assets = (): ReturnType<typeof loadAssets> => (loaded ??= loadAssets());

/** Reads the files of `assets/` and `browser/`, without the types of TypeScript. Only tests call it directly, to read them again. */
export function loadAssets() {
  const files = new Map<string, Buffer>([
    ['idiomorph.js', readFileSync(new URL(import.meta.resolve('idiomorph')))],
  ]);
  for (const folder of ['assets/', 'browser/']) {
    const from = new URL(folder, import.meta.url);
    for (const name of readdirSync(from)) {
      if (!(extname(name) in TYPES) || /\.(test|d)\.ts$/.test(name)) continue;
      const bytes = readFileSync(new URL(name, from));
      files.set(name, name.endsWith('.ts') ? Buffer.from(withoutTypes(String(bytes))) : bytes);
    }
  }
  const hash = createHash('sha256');
  for (const bytes of files.values()) hash.update(bytes);
  const stamp = hash.digest('base64url').slice(0, 12);
  return {
    /** By path below `/board/assets/`. */
    files: new Map(Array.from(files, ([name, bytes]) => [`${stamp}/${name}`, bytes])),
    /** Returns the path of an asset such as `board.css`; it changes with the content of any asset. */
    path: (name: string): string => `${ASSETS_PATH}${stamp}/${name}`,
    /** The modules that a page loads. */
    scripts: [...files.keys()].filter((name) => /\.[jt]s$/.test(name) && name !== WORKER),
  };
}

/** A worker has the policy of its own script, not of its page. */
const ASSET_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Serves the assets. Browsers cache them for a year, as a path changes with the content. */
export function assetRoutes(app: FastifyInstance): void {
  app.get(`${ASSETS_PATH}*`, (request, reply) => {
    const path = (request.params as { '*': string })['*'];
    const bytes = assets().files.get(path);
    if (bytes === undefined) return reply.code(404).send({ error: 'No such file' });
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', ASSET_POLICY)
      .type(TYPES[extname(path)] ?? '')
      .send(bytes);
  });
}

/** Strips the types without Node's experimental warning: the version of Node is pinned. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
