import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { applyMessage, type Match, matchState, newMatch } from '#domain/match.ts';
import { causeOf } from '#domain/testing/messages.ts';
import { readDelivery } from '#ingestion/delivery.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER, verify } from '#signing/signing.ts';
import { serve } from '../test/support/listen.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';

const ADAPTER = join(import.meta.dirname, '../docs/examples/adapter/adapter.ts');
const SECRET = '0123456789abcdef0123456789ABCDEF';

const MATCH = {
  match: 'f3c1',
  league: 'NL',
  season: '2026',
  start: '2026-08-15T14:00:00Z',
  home: { key: 'RVR', name: 'Rovers' },
  away: { key: 'UTD', name: 'United' },
  suspended: false,
};

/** Returns a line of the other feed, written `seq` seconds after the kick-off. */
function line(seq: number, changes: object): string {
  const at = new Date(Date.parse(MATCH.start) + seq * 1_000).toISOString();
  const report = { seq, at, score: null, period: 'first', clock: '10:00', what: null };
  return JSON.stringify({ ...MATCH, ...report, ...changes });
}

const goal = (key: string, team: string, state: string, changes: object = {}) => {
  const scored = { type: 'goal', player: 'A. Nine', time: '09:40' };
  return { key, team, state, ...scored, ...changes };
};

/** A receiver that checks signatures as webhook-receiver does; it fails the first request. */
async function startReceiver() {
  const received: NormalizedMessage[] = [];
  let requests = 0;
  const url = await serve(async (request, response) => {
    const body = await buffer(request);
    requests += 1;
    const headers = {
      timestamp: String(request.headers[TIMESTAMP_HEADER]),
      signature: String(request.headers[SIGNATURE_HEADER]),
    };
    if (verify(body, headers, [SECRET], Date.now()) !== 'ok' || requests === 1) {
      response.writeHead(503).end();
      return;
    }
    const context = { origin: 'webhook', service: 'webhook-receiver' } as const;
    const receivedAt = Date.parse(MATCH.start);
    const { normalized, deadLetters, ignored } = readDelivery(body, { ...context, receivedAt });
    expect([deadLetters, [...ignored]]).toEqual([[], []]);
    received.push(...normalized);
    response.end('Accepted');
  });
  return { received, url: `${url}/webhook` };
}

async function adapt(lines: readonly string[], receiver: string, ids: string): Promise<string> {
  const child = spawn(process.execPath, [ADAPTER], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: SECRET, RECEIVER: receiver, IDS: ids },
    stdio: ['pipe', 'inherit', 'pipe'],
  });
  child.stdin.end(`${lines.join('\n')}\n`);
  const errors = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([0, null]);
  return errors;
}

function play(messages: readonly NormalizedMessage[]): Match {
  const match = newMatch(messages[0]?.event_id ?? 0);
  messages.forEach((message, n) => void applyMessage(match, message, causeOf(message, n)));
  return match;
}

test('the example adapter turns another feed into match state, with the same ids after a restart', async () => {
  const { received, url } = await startReceiver();
  const ids = join(temporaryFolder(), 'ids.db');
  const errors = await adapt(
    [
      line(1, {
        what: goal('k', 'RVR', 'confirmed', { type: 'kick_off', team: null, time: '00:00' }),
        score: [0, 0],
      }),
      line(2, { what: goal('g1', 'RVR', 'pending'), score: [1, 0] }),
      line(3, { what: 'heartbeat' }),
      line(4, { what: goal('g1', 'RVR', 'confirmed'), score: [1, 0] }),
      line(5, { what: goal('g2', 'UTD', 'pending', { time: '11:05' }), score: [1, 1] }),
    ],
    url,
    ids,
  );
  expect(errors).toContain('503');
  expect(received.map(({ type }) => type).join(' ')).toBe(
    'incident incident event_keep_alive incident incident',
  );
  expect(received.flatMap(({ unread }) => unread)).toEqual([]);
  expect(matchState(play(received))).toMatchObject({
    status_type: 'live',
    home: { name: 'Rovers' },
    score: { home: 1, away: 1 },
    firm: { home: 1, away: 0 },
    agreement: 'agrees',
    guard: { safe: false, reasons: ['under_review'] },
  });
  await adapt(
    [
      line(6, { what: goal('c1', 'UTD', 'confirmed', { type: 'goal_cancelled', of: 'g2' }), score: [1, 0] }),
      line(7, { period: 'over', clock: null, score: [1, 0] }),
    ],
    url,
    ids,
  );
  const state = matchState(play(received));
  const cancelled = received.find(({ ut }) => ut === Date.parse(MATCH.start) / 1_000 + 5);
  expect(new Set(received.map(({ event_id }) => event_id)).size).toBe(1);
  expect(state).toMatchObject({ score: { home: 1, away: 0 }, status_type: 'finished' });
  expect(state?.void_goals).toEqual({ [cancelled?.incident?.incident.id ?? '']: 'goal_cancelled' });
});
