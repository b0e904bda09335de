import { LRUCache } from 'lru-cache';
import { accessKey } from '#views/queries/access.ts';
import type { Tool, ToolScope } from './tools/tool.ts';

/** What a tool answers: the structured content, and the same as text. */
export type ToolAnswer = { readonly structuredContent: Record<string, unknown>; readonly text: string };

/** Characters of answers that are kept. */
const MAX_LENGTH = 8 * 1024 * 1024;

/** How often a second answers may change by time alone: minutes advance, a day ends, a feed expires. */
const PER_SECOND = 10;

/**
 * Answers of tools that are given again as they are while the views have not changed, and for a tenth of a second at most. Those that
 * were not asked for the longest go first.
 */
export class ToolAnswerCache {
  readonly #version: () => number;
  readonly #kept = new LRUCache<string, ToolAnswer>({ maxSize: MAX_LENGTH });
  #validFor = '';

  /** `version` is that of everything that answers are made of. */
  constructor(version: () => number) {
    this.#version = version;
  }

  /** Throws what the tool throws. */
  get(tool: Tool, args: unknown, scope: ToolScope): ToolAnswer {
    const validFor = `${this.#version()} ${Math.floor(scope.now * PER_SECOND)}`;
    if (validFor !== this.#validFor) {
      this.#kept.clear();
      this.#validFor = validFor;
    }
    const key = `${tool.name} ${accessKey(scope.access)} ${JSON.stringify(args ?? {})}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const structuredContent = tool.call(args, scope);
    const answer = { structuredContent, text: JSON.stringify(structuredContent) };
    this.#kept.set(key, answer, { size: answer.text.length });
    return answer;
  }
}
