import { poll } from '#timing/poll.ts';
import { finalScore, type MatchFacts } from '../../../data/dataset.ts';
import type { Platform } from '../../platform.ts';
import type { Check } from './check.ts';

/** How long the gateway may take for an answer, in milliseconds. */
const ANSWER_WITHIN = 15_000;
/** How long its views may lag behind the topics. */
const VIEWS = { timeoutMs: 15_000, everyMs: 200 };
const REVISION = '2026-07-28';

/**
 * Exchanges the credentials of the client created for this run, and calls a tool with the token. Checks nothing if a
 * client existed before, whose secret is unknown.
 */
export async function checkTools(
  { toolsUrl, newClient }: Pick<Platform, 'toolsUrl' | 'newClient'>,
  matches: readonly MatchFacts[],
  signal: AbortSignal,
): Promise<Check[]> {
  if (newClient === null) return [];
  const { id, secretKey } = newClient;
  const credentials = { client_id: String(id), secret_key: secretKey, label: 'demonstration' };
  const { token } = await post(`${toolsUrl}/api/v1/token`, credentials);
  const issued = { what: 'an access token was issued for its first client', holds: token !== undefined };
  const last = matches.at(-1);
  if (token === undefined || last === undefined) return [issued];
  const [home, away] = finalScore(last);
  const returnsScore = async (): Promise<boolean> => {
    const { result } = await callTool(`${toolsUrl}/mcp`, String(token), 'get_match', { match_id: last.id });
    const { score, status_type } = result?.structuredContent ?? {};
    return status_type === 'finished' && score?.home === home && score.away === away;
  };
  const returned = (await poll(returnsScore, { ...VIEWS, signal })) === true;
  return [
    issued,
    { what: 'a tool of /mcp returns the final score of the last match to it', holds: returned },
  ];
}

/** What an answer may have that is looked at. */
type Answer = {
  readonly token?: unknown;
  readonly result?: {
    readonly structuredContent?: {
      readonly score?: { readonly home?: number; readonly away?: number } | null;
      readonly status_type?: string;
    };
  };
};

function callTool(url: string, token: string, name: string, args: object): Promise<Answer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'touchline-demo', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  return post(url, request, {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': request.method,
    'mcp-name': name,
  });
}

/** The answer to a request; empty where there is none, or it is no JSON. */
async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN),
    });
    return (await response.json()) as Answer;
  } catch {
    return {};
  }
}
