import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

type Asset = { readonly type: string; readonly body: Buffer };

const ASSETS_PATH = '/board/assets/';
const SERVICE = new URL('../', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};

const SCRIPTS = [
  'board/browser/board.js',
  'board/browser/page.js',
  'board/browser/metronome.js',
  'board/browser/stream-worker.js',
];
const FOLDER = new URL('board/assets/', SERVICE);

const IMPORT = /(\b(?:from|import)\s*)(['"])([^'"]+\.ts)\2/g;

type Module = { readonly code: string; readonly imports: readonly string[] };

let loaded: ReturnType<typeof loadAssets> | undefined;

/**
 * Returns the styles, icons and scripts of the board; reads them once. Scripts are the TypeScript modules of
 * `SCRIPTS` and all their imports, with the types stripped. No other file is served.
 */
export function assets(): ReturnType<typeof loadAssets> {
  loaded ??= loadAssets();
  return loaded;
}

/** Reads all assets. Only tests call it directly, to read them again. */
export function loadAssets() {
  const modules = new Map<string, Module>();
  const sourceOf = (script: string): string => pathInRoot(new URL(script.replace(/\.js$/, '.ts'), SERVICE));
  for (const script of SCRIPTS) collect(sourceOf(script), modules);
  const plain = readdirSync(FOLDER).map((name) => {
    const body = readFileSync(new URL(name, FOLDER));
    return [name, { type: TYPES[extname(name).slice(1)] ?? '', body }] as const;
  });
  const hash = createHash('sha256');
  for (const { code } of modules.values()) hash.update(code);
  for (const [, { body }] of plain) hash.update(body);
  const stamp = hash.digest('base64url').slice(0, 12);
  const files = new Map<string, Asset>(plain.map(([name, asset]) => [`${stamp}/${name}`, asset]));
  for (const [path, { code }] of modules) {
    files.set(`${stamp}/${asScript(path)}`, {
      type: 'text/javascript; charset=utf-8',
      body: Buffer.from(code),
    });
  }
  const served = (path: string): string => `${ASSETS_PATH}${stamp}/${asScript(path)}`;
  return {
    /** Returns the path of an asset such as `board.css` or `board/browser/board.js`; it changes with the content of any asset. */
    path: (name: string) => served(name.endsWith('.js') ? sourceOf(name) : name),
    /** Returns the paths of a script and of all modules that it imports, directly or not. */
    modulesOf: (name: string) => Array.from(reachable(sourceOf(name), modules), served),
    /** By path below `/board/assets/`. */
    files,
  };
}

/** A worker has the policy of its own script, not of its page: the shared worker connects to `/board/events`. */
const ASSET_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";

/** Serves the assets. Browsers cache them for a year, as a path changes with the content. */
export function assetRoutes(app: FastifyInstance): void {
  app.get(`${ASSETS_PATH}*`, (request, reply) => {
    const asset = assets().files.get((request.params as { '*': string })['*']);
    if (asset === undefined) return reply.code(404).send({ error: 'No such file' });
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', ASSET_POLICY)
      .type(asset.type)
      .send(asset.body);
  });
}

/** Adds a module and all its imports to `modules`, by path from the root. */
function collect(path: string, modules: Map<string, Module>): void {
  if (modules.has(path)) return;
  const url = new URL(path, ROOT);
  const imports: string[] = [];
  const code = withoutTypes(readFileSync(url, 'utf8')).replace(IMPORT, (_, keyword, quote, specifier) => {
    const target = pathInRoot(
      specifier.startsWith('.') ? new URL(specifier, url) : new URL(import.meta.resolve(specifier)),
    );
    imports.push(target);
    return `${keyword}${quote}${'../'.repeat(path.split('/').length - 1)}${asScript(target)}${quote}`;
  });
  modules.set(path, { code, imports });
  for (const target of imports) collect(target, modules);
}

/** Returns the paths of a module and of all its direct and indirect imports. */
function reachable(path: string, modules: ReadonlyMap<string, Module>): Set<string> {
  const found = new Set([path]);
  // Iterating a set also visits what is added meanwhile.
  for (const one of found) for (const target of modules.get(one)?.imports ?? []) found.add(target);
  return found;
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

function pathInRoot(url: URL): string {
  return fileURLToPath(url).slice(fileURLToPath(ROOT).length);
}

function asScript(path: string): string {
  return path.replace(/\.ts$/, '.js');
}
