import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

type Asset = { readonly type: string; readonly body: Buffer };

const AT = '/board/assets/';
const SERVICE = new URL('../', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };

const SCRIPTS = [
  'board/browser/board.js',
  'board/browser/page.js',
  'board/browser/metronome.js',
  'docs/browser/try-it.js',
];
const FOLDERS = ['board/assets/', 'docs/assets/'];

const IMPORT = /(\b(?:from|import)\s*)(['"])([^'"]+\.ts)\2/g;

type Module = { readonly code: string; readonly imports: readonly string[] };

let loaded: ReturnType<typeof loadAssets> | undefined;

/**
 * What the pages of the board and the reference load: styles, icons and scripts, loaded once. The scripts are the TypeScript modules
 * themselves, without their types: those of the list, and whatever they import, the rules of the domain included. Nothing else can be asked for.
 */
export function assets(): ReturnType<typeof loadAssets> {
  loaded ??= loadAssets();
  return loaded;
}

export function loadAssets() {
  const modules = new Map<string, Module>();
  const sourceOf = (script: string): string => pathInRoot(new URL(script.replace(/\.js$/, '.ts'), SERVICE));
  for (const script of SCRIPTS) collect(sourceOf(script), modules);
  const plain = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, SERVICE)).map((name) => {
      const body = readFileSync(new URL(folder + name, SERVICE));
      return [name, { type: TYPES[extname(name).slice(1)] ?? '', body }] as const;
    }),
  );
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
  const served = (path: string): string => `${AT}${stamp}/${asScript(path)}`;
  return {
    /** Path of an asset, from its name as `board.css` or `board/browser/board.js`; it changes with any asset's content. */
    path: (name: string) => served(name.endsWith('.js') ? sourceOf(name) : name),
    /** Paths of all that a script loads, itself included. */
    modulesOf: (name: string) => Array.from(reachable(sourceOf(name), modules), served),
    /** By path below `/board/assets/`. */
    files,
  };
}

/** Serves them, kept by browsers for good: their paths change with their content. */
export function assetRoutes(app: FastifyInstance): void {
  app.get(`${AT}*`, (request, reply) => {
    const asset = assets().files.get((request.params as { '*': string })['*']);
    if (asset === undefined) return reply.code(404).send({ error: 'No such file' });
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type(asset.type)
      .send(asset.body);
  });
}

/** Reads a module and, once each, those that it imports; by path from the root. */
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

/** A module and all that it needs; what is added while a set is gone through is gone through too. */
function reachable(path: string, modules: ReadonlyMap<string, Module>): Set<string> {
  const found = new Set([path]);
  for (const one of found) for (const target of modules.get(one)?.imports ?? []) found.add(target);
  return found;
}

/** Node says on standard error that stripping types may change; the runtime is pinned, so that it may not here. */
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
