/** The rows of the contract that only a process can show: its end, its log, its pages. All others: services/api/contract-rows.test.ts. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerError } from '#contract/rest/records/envelope.ts';
import { startApi } from '../../support/api.ts';
import { untilTrue } from '../../support/poll.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { running, serveOnce } from './running.ts';

serveOnce();

describe('Errors (REST)', () => {
  test('500: server error', async () => {
    const { connection, everything } = running();
    const folder = temporaryFolder();
    await (await startApi(connection, folder)).service.stop();
    const api = await startApi(connection, folder);
    damage(join(folder, 'api', 'views.sqlite'));
    const response = await api.get(`/v2/events/1005?token=${everything.token}`);
    const body = await response.text();
    expect(response.status, body).toBe(500);
    const { error } = answerError.parse(JSON.parse(body)).api;
    expect(error).toEqual({ message: 'Server error', internal_code: 5 });
    expect(body).not.toMatch(/sql|database|malformed|\/|node/i);
    // The file is damaged: the replica exits, and its next start rebuilds the views.
    await untilTrue('the replica has ended', async () => api.service.exited);
    const log = api.service.lines.join('\n');
    expect(log).toContain('a request failed');
    expect(log).not.toContain(everything.token);
    const rebuilt = await startApi(connection, folder);
    expect(rebuilt.service.lines.join('\n')).toContain('"why":"it is empty"');
    expect((await rebuilt.api(`/v2/events/1005?token=${everything.token}`)).data.competition.id).toBe(10);
  });
});

describe('Prose of REST', () => {
  test('the token is in the query and in next_page, on no page and in no log', async () => {
    const { connection, everything } = running();
    const api = await startApi(connection, temporaryFolder(), { LOG_LEVEL: 'trace', API_BOARD: 'on' });
    const path = (token: string) => `/v2/events?season_id=20&limit=5&token=${token}`;
    const { method } = await api.api(path(everything.token));
    expect(new URL(method.next_page).searchParams.get('token')).toBe(everything.token);
    const forged = `${everything.token.slice(0, -1)}!`;
    await api.api(path(forged), 401);
    await api.api(`/v2/events/999999?token=${everything.token}`, 404);
    await api.api(`/v2/events?limit=7&token=${everything.token}`, 400);
    for (const page of ['/', '/docs']) {
      const headers = { accept: 'text/html' };
      const html = await (await fetch(`${api.url}${page}?token=${everything.token}`, { headers })).text();
      expect(html).toContain('<html');
      expect(html).not.toContain(everything.token);
    }
    const log = api.service.lines.join('\n');
    expect(log).toContain('listening');
    for (const secret of [everything.token, forged, everything.secret]) expect(log).not.toContain(secret);
    for (const trace of ['token=', '[redacted]', '/v2/']) expect(log).not.toContain(trace);
  });
});

/** Damages a file as a failing disk would: all of it but the first page, which identifies it. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 4_096), { flag: 'r+' });
  expect(statSync(path).size).toBe(bytes.length);
}
