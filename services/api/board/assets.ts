import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';

/** A file as it is served. */
type Asset = { readonly type: string; readonly body: Buffer };

/** What the pages load, made once at the start. */
export type Assets = {
  /** Path of an asset, from its name as `board.css` or `browser/board.js`; it changes with any asset's content. */
  path(name: string): string;
  /** Paths of all that a script loads, itself included. */
  modulesOf(name: string): readonly string[];
  /** By path below the `at` of the list. */
  readonly files: ReadonlyMap<string, Asset>;
};

/** What some pages load. */
export type AssetList = {
  /** The path that the assets are served below, with a slash at its end. */
  readonly at: string;
  /** The folder of the scripts. */
  readonly folder: URL;
  /** Modules below the folder, as `browser/board.js`. */
  readonly scripts: readonly string[];
  /** Styles and icons. */
  readonly files: readonly URL[];
};

const HERE = new URL('./', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };

/** A style or icon of the board. */
export function boardFile(name: string): URL {
  return new URL(`assets/${name}`, HERE);
}

/** What the pages of the board load. */
export const BOARD_ASSETS: AssetList = {
  at: '/board/assets/',
  folder: HERE,
  scripts: ['browser/board.js', 'browser/page.js', 'browser/metronome.js'],
  files: [
    'tokens.css',
    'base.css',
    'board.css',
    'match.css',
    'tables.css',
    'feeds.css',
    'sign-in.css',
    'icon.svg',
  ].map(boardFile),
};

const IMPORT = /(\b(?:from|import)\s*)(['"])([^'"]+\.ts)\2/g;

type Module = { readonly code: string; readonly imports: readonly string[] };

/**
 * Loads styles, icons and scripts. The scripts are the TypeScript modules themselves, without their types: those of the
 * list, and whatever they import, the rules of the domain included. Nothing else can be asked for.
 */
export function loadAssets({ at, folder, scripts, files: listed }: AssetList): Assets {
  const modules = new Map<string, Module>();
  const sourceOf = (script: string): string => pathIn(ROOT, new URL(script.replace(/\.js$/, '.ts'), folder));
  for (const script of scripts) collect(sourceOf(script), modules);
  const plain = listed.map((url) => {
    const name = basename(url.pathname);
    return [name, { type: TYPES[name.split('.').at(-1) ?? ''] ?? '', body: readFileSync(url) }] as const;
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
  const served = (path: string): string => `${at}${stamp}/${asScript(path)}`;
  return {
    path: (name) => served(name.endsWith('.js') ? sourceOf(name) : name),
    modulesOf: (name) => Array.from(reachable(sourceOf(name), modules), served),
    files,
  };
}

/** Serves them, kept by browsers for good: their paths change with their content. */
export function assetRoutes(app: FastifyInstance, at: string, assets: Assets): void {
  app.get(`${at}*`, (request, reply) => {
    const asset = assets.files.get((request.params as { '*': string })['*']);
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
    const target = pathIn(
      ROOT,
      specifier.startsWith('.') ? new URL(specifier, url) : new URL(import.meta.resolve(specifier)),
    );
    imports.push(target);
    return `${keyword}${quote}${'../'.repeat(path.split('/').length - 1)}${asScript(target)}${quote}`;
  });
  modules.set(path, { code, imports });
  for (const target of imports) collect(target, modules);
}

function reachable(
  path: string,
  modules: ReadonlyMap<string, Module>,
  found = new Set<string>(),
): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const target of modules.get(path)?.imports ?? []) reachable(target, modules, found);
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

function pathIn(root: URL, url: URL): string {
  return fileURLToPath(url).slice(fileURLToPath(root).length);
}

function asScript(path: string): string {
  return path.replace(/\.ts$/, '.js');
}
