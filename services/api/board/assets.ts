import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A file as it is served. */
export type Asset = { readonly type: string; readonly body: Buffer };

/** What the pages load, made once at the start. */
export type Assets = {
  /** Path of an asset, from its name as `board.css` or `browser/board.js`; it changes with any asset's content. */
  path(name: string): string;
  /** Paths of all that a script loads, itself included. */
  modulesOf(name: string): readonly string[];
  /** By path below `ASSETS_PATH`. */
  readonly files: ReadonlyMap<string, Asset>;
};

/** Where assets are served. */
export const ASSETS_PATH = '/board/assets/';

const HERE = new URL('./', import.meta.url);
const ROOT = new URL('../../../', import.meta.url);
const SCRIPTS = ['browser/board.js', 'browser/page.js'];
const FILES: Readonly<Record<string, string>> = {
  'base.css': 'text/css; charset=utf-8',
  'board.css': 'text/css; charset=utf-8',
  'match.css': 'text/css; charset=utf-8',
  'tables.css': 'text/css; charset=utf-8',
  'sign-in.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};
const IMPORT = /(\b(?:from|import)\s*)(['"])([^'"]+\.ts)\2/g;

type Module = { readonly code: string; readonly imports: readonly string[] };

/**
 * Loads styles, icon and scripts. The scripts are the TypeScript modules themselves, without their types: those of
 * `browser/`, and whatever they import, the rules of the domain included. Nothing else can be asked for.
 */
export function loadAssets(): Assets {
  const modules = new Map<string, Module>();
  for (const script of SCRIPTS) collect(pathIn(ROOT, new URL(script.replace(/\.js$/, '.ts'), HERE)), modules);
  const plain = Object.entries(FILES).map(
    ([name, type]) => [name, { type, body: readFileSync(new URL(`assets/${name}`, HERE)) }] as const,
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
  const moduleOf = (name: string): string => `${pathIn(ROOT, HERE)}${name.replace(/\.js$/, '.ts')}`;
  const served = (path: string): string => `${ASSETS_PATH}${stamp}/${asScript(path)}`;
  return {
    path: (name) => served(name.endsWith('.js') ? moduleOf(name) : name),
    modulesOf: (name) => Array.from(reachable(moduleOf(name), modules), served),
    files,
  };
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
