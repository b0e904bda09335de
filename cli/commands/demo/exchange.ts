import { poll } from '#timing/poll.ts';
import { finalScore, type MatchFacts } from '../../../data/dataset.ts';
import type { Platform } from '../../platform.ts';
import type { Check } from './check.ts';

/** How long the gateway may take for an answer, in milliseconds. */
const ANSWER_WITHIN = 15_000;
/** How long its views may lag behind the topics, in milliseconds. */
const VIEWS_WITHIN = 15_000;
const LOOK_EVERY = 200;
const REVISION = '2026-07-28';

type Gateway = Pick<Platform, 'toolsUrl' | 'newClient'>;

/**
 * Exchanges the credentials of the client created for this run, and calls a tool with the token. Checks nothing if a
 * client existed before, whose secret is unknown.
 */
export async function checkTools(
  { toolsUrl, newClient }: Gateway,
  matches: readonly MatchFacts[],
  signal: AbortSignal,
): Promise<Check[]> {
  if (newClient === null) return [];
  const token = await exchange(toolsUrl, newClient);
  const issued = { what: 'an access token was issued for its first client', holds: token !== null };
  const last = matches.at(-1);
  if (token === null || last === undefined) return [issued];
  const returned = await returnsScore(toolsUrl, token, last, signal);
  return [
    issued,
    { what: 'a tool of /mcp returns the final score of the last match to it', holds: returned },
  ];
}

/** A new access token; null where none was issued. */
async function exchange(
  toolsUrl: string,
  { id, secretKey }: NonNullable<Gateway['newClient']>,
): Promise<string | null> {
  const body = { client_id: String(id), secret_key: secretKey, label: 'demonstration' };
  const answer = await post(`${toolsUrl}/api/v1/token`, body, {});
  return answer?.status === 201 && typeof answer.body.token === 'string' ? answer.body.token : null;
}

/** Polls until the tool returns the final score, for as long as its views may lag. */
async function returnsScore(
  toolsUrl: string,
  token: string,
  match: MatchFacts,
  signal: AbortSignal,
): Promise<boolean> {
  const [home, away] = finalScore(match);
  const isTold = async (): Promise<boolean> => {
    const answer = await callTool(toolsUrl, token, 'get_match', { match_id: match.id });
    const { score, status_type } = answer ?? {};
    const { home: homeGoals, away: awayGoals } = (score ?? {}) as { home?: number; away?: number };
    return status_type === 'finished' && homeGoals === home && awayGoals === away;
  };
  return (await poll(isTold, { timeoutMs: VIEWS_WITHIN, everyMs: LOOK_EVERY, signal })) === true;
}

/** The structured content of a tool's answer; null without one. */
async function callTool(
  toolsUrl: string,
  token: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | null> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'touchline-demo', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta: meta },
  };
  const answer = await post(`${toolsUrl}/mcp`, request, {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': request.method,
    'mcp-name': name,
  });
  const { structuredContent } = (answer?.body.result ?? {}) as {
    structuredContent?: Readonly<Record<string, unknown>>;
  };
  return structuredContent ?? null;
}

type ExchangeResponse = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** The answer to a request; null where there is none, or it is no JSON. */
async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<ExchangeResponse | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    return { status: response.status, body: (await response.json()) as ExchangeResponse['body'] };
  } catch {
    return null;
  }
}
