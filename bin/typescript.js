/**
 * Lets Node run the TypeScript of an installed Touchline: Node itself strips the types of sources outside of `node_modules` only.
 * Loaded by `--import` into every process and thread of an installation.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';

const ROOT = new URL('../', import.meta.url).href;
const PACKAGES = new URL('../node_modules/', import.meta.url).href;

// Node says once that this function may change; that is for those who write Touchline.
const { emitWarning } = process;
process.emitWarning = () => {};
stripTypeScriptTypes('');
process.emitWarning = emitWarning;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith(ROOT) || url.startsWith(PACKAGES) || !url.endsWith('.ts'))
      return nextLoad(url, context);
    const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'));
    return { format: 'module', source, shortCircuit: true };
  },
});
