import type { Access } from '#contract/rest/provider.ts';
import { toolQueries } from '#views/queries/tool-queries.ts';
import { createProviderData } from '#views/render/answers/provider-data.ts';
import { EVERYTHING, RECEIVED_AT, type ViewsWorld } from '#views/testing/world.ts';
import { ToolError, type ToolScope } from '../tools/tool.ts';
import { TOOLS } from '../tools.ts';

/** What a client is answered from at the time when the messages of the world were received. */
export function scopeOf(world: ViewsWorld, access: Access = EVERYTHING): ToolScope {
  return {
    data: createProviderData(world.views),
    queries: toolQueries(world.views),
    access,
    now: RECEIVED_AT / 1000,
  };
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export function callTool(scope: ToolScope, name: string, args: ToolArguments = {}): Record<string, unknown> {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.call(args, scope);
}

/** The code and the message of a refused call; the answer of any other. */
export function refusalOf(scope: ToolScope, name: string, args: ToolArguments): string {
  try {
    return JSON.stringify(callTool(scope, name, args));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${error.published}: ${error.message}`;
  }
}
