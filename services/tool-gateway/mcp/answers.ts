import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { accessKey } from '#views/queries/access.ts';
import type { Tool, ToolScope } from './tools/tool.ts';

/** The answer of a tool: its structured content, and the same as JSON text. */
type ToolAnswer = { readonly structuredContent: Record<string, unknown>; readonly text: string };

/** Maximum total length of the cached texts, characters. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** Cache periods in a second: answers also change by time alone, as minutes advance, a day ends or a feed expires. */
const PERIODS_PER_SECOND = 10;

/** Caches answers while the views are unchanged, for a tenth of a second at most. Evicts the least recently used. */
export class ToolAnswerCache {
  readonly #version: () => number;
  readonly #cached = new LRUCache<string, ToolAnswer>({ maxSize: MAX_LENGTH });
  #validFor = '';

  constructor(version: () => number) {
    this.#version = version;
  }

  /** Returns the cached answer, or calls the tool. Throws what the tool throws. */
  get(tool: Tool, args: unknown, scope: ToolScope): ToolAnswer {
    const validFor = `${this.#version()} ${Math.floor(scope.now * PERIODS_PER_SECOND)}`;
    if (validFor !== this.#validFor) {
      this.#cached.clear();
      this.#validFor = validFor;
    }
    const key = `${tool.name} ${accessKey(scope.access)} ${JSON.stringify(args ?? {})}`;
    const cached = this.#cached.get(key);
    if (cached !== undefined) return cached;
    const structuredContent = tool.call(args, scope);
    const answer = { structuredContent, text: JSON.stringify(structuredContent) };
    this.#cached.set(key, answer, { size: answer.text.length });
    return answer;
  }
}

/** The message for a client of any error that neither it nor its contract caused. */
export const SERVER_FAILED = 'The server failed. Try again later.';

/** Creates the protocol's error for invalid parameters. */
export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
