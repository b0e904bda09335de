import { finalScore, type MatchFacts } from '../../../data/dataset.ts';
import type { Platform } from '../../platform.ts';
import type { Check } from './check.ts';
import { pause } from './pause.ts';

/** How long the gateway may take for an answer, in milliseconds. */
const ANSWER_WITHIN = 15_000;
/** How long its views may be behind the topics, in milliseconds. */
const VIEWS_WITHIN = 15_000;
const LOOK_EVERY = 200;
const REVISION = '2026-07-28';

type Gateway = Pick<Platform, 'toolsUrl' | 'newClient'>;

/**
 * Exchanges the credentials of the client that was made for this run, and calls a tool with the token; nothing where
 * there was a client already, whose secret is not known.
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
  const told = await tellsScore(toolsUrl, token, last, signal);
  return [issued, { what: 'a tool of /mcp tells the final score of the last match to it', holds: told }];
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

/** Asks until the tool tells the final score, as long as its views may be behind. */
async function tellsScore(
  toolsUrl: string,
  token: string,
  match: MatchFacts,
  signal: AbortSignal,
): Promise<boolean> {
  const [home, away] = finalScore(match);
  const until = performance.now() + VIEWS_WITHIN;
  do {
    const answer = await callTool(toolsUrl, token, 'get_match', { match_id: match.id });
    const { score, status_type } = answer ?? {};
    const { home: homeGoals, away: awayGoals } = (score ?? {}) as { home?: number; away?: number };
    if (status_type === 'finished' && homeGoals === home && awayGoals === away) return true;
  } while (performance.now() < until && (await pause(LOOK_EVERY, signal)));
  return false;
}

/** What a tool answers: its structured content; null where it does not. */
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
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
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

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** The answer to a request; null where there is none, or it is no JSON. */
async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer | null> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  } catch {
    return null;
  }
}
