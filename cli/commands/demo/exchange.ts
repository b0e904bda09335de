import { poll } from '#timing/poll.ts';
import { finalScore, type MatchFacts } from '../../../data/dataset.ts';
import type { Platform } from '../../platform.ts';
import type { DemoCheck } from './check.ts';

/** Timeout of a request to the gateway. */
const REQUEST_TIMEOUT_MS = 15_000;
/** Timeout for the gateway's views, which may lag behind the topics. */
const VIEW_LAG = { timeoutMs: 15_000, everyMs: 200 };
const PROTOCOL_VERSION = '2026-07-28';

/**
 * Exchanges the credentials of the client that was created for this run, and calls a tool with the token. Returns no checks
 * when a client existed before, because its secret is unknown.
 */
export async function checkTools(
  { toolsUrl, newClient }: Pick<Platform, 'toolsUrl' | 'newClient'>,
  matches: readonly MatchFacts[],
  signal: AbortSignal,
): Promise<DemoCheck[]> {
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
  const returned = (await poll(returnsScore, { ...VIEW_LAG, signal })) === true;
  return [
    issued,
    { what: 'a tool of /mcp returns the final score of the last match to it', holds: returned },
  ];
}

/** The fields of an answer that are checked. */
type GatewayAnswer = {
  readonly token?: unknown;
  readonly result?: {
    readonly structuredContent?: {
      readonly score?: { readonly home?: number; readonly away?: number } | null;
      readonly status_type?: string;
    };
  };
};

function callTool(url: string, token: string, name: string, args: object): Promise<GatewayAnswer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'touchline-demo', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } };
  return post(url, request, {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL_VERSION,
    'mcp-method': request.method,
    'mcp-name': name,
  });
}

/** Sends a request. Returns its answer, empty when the request fails or the answer is no JSON. */
async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<GatewayAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return (await response.json()) as GatewayAnswer;
  } catch {
    return {};
  }
}
