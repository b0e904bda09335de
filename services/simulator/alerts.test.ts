import { expect, test } from 'vitest';
import { normalized } from '#ingestion/testing/normalized.ts';
import { AlertPartition } from '#processors/alerts/alert-processor.ts';
import { ALERT_KINDS } from '#processors/alerts/rules.ts';
import { codecs, commitMessages, partitionOf } from '#processors/match/testing/partition.ts';
import type { Alert, KeyIncident, MatchTransition } from '#records/types.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { finalScore, readDataset } from '../../data/dataset.ts';
import { rounds } from '../../test/support/rounds.ts';
import { SEED } from '../../test/support/seed.ts';
import { parseFaults } from './faults.ts';
import { simulateMatch } from './match.ts';

const KICK_OFF = 1_530_000_000;
const RED_CARD = 418;
const FINISHED = /\bfinished$/;
const { competition, matches } = readDataset('world-cup-2018');
const played = matches.slice(-rounds(64)).map((facts) => {
  const settings = { seed: String(SEED), faults: parseFaults('some'), keepAliveEvery: 0, clockEvery: 0 };
  return { ...simulateMatch(facts, competition, KICK_OFF, settings), facts };
});

/** What an alert says, in any order of its kind. */
type Said = Pick<Alert, 'kind' | 'reasons' | 'score' | 'score_before' | 'name' | 'home_id' | 'away_id'> &
  Pick<Alert, 'incident_id' | 'team_id' | 'team_name' | 'player_name' | 'minute' | 'version' | 'ut'>;

/** A desk that reads match-transitions alone, in their order, and writes down what docs/guides/alerts.md promises. */
class Desk {
  readonly said: Said[] = [];
  /** Of the version that is read: the score that it began with, and whether it cancelled a goal. */
  #version = { of: -1, from: null as Alert['score'], hasCancelled: false };

  read({ kind, version, cause, match, score, goals, value, ...incidents }: MatchTransition): void {
    const { key_incident: now, key_incident_before: before } = incidents;
    if (this.#version.of !== version) this.#version = { of: version, from: null, hasCancelled: false };
    const say = (what: Alert['kind'], more: Partial<Said> = {}, of: KeyIncident | null = null): void => {
      const team = [match.home, match.away].find((side) => side !== null && side.id === of?.team_id);
      this.said.push({
        kind: what,
        version,
        ut: cause.ut,
        reasons: [],
        score: null,
        score_before: null,
        name: match.name,
        home_id: match.home?.id ?? null,
        away_id: match.away?.id ?? null,
        incident_id: of?.id ?? null,
        team_id: of?.team_id ?? null,
        team_name: team?.name ?? null,
        player_name: of?.player_name ?? null,
        minute: of?.minute ?? null,
        ...more,
      });
    };
    const [after, base] = [score?.after ?? null, this.#version.from ?? score?.before ?? null];
    if (kind === 'goal_cancelled')
      say(kind, { score: after, score_before: score?.before ?? null }, before ?? now);
    if (kind === 'goal_cancelled' || kind === 'sides_exchanged')
      this.#version = { of: version, from: after, hasCancelled: kind === 'goal_cancelled' };
    if (kind === 'score_changed' && after !== null && base !== null) {
      const rise = Math.max(0, after.home - base.home) + Math.max(0, after.away - base.away);
      const scored = goals.length === 0 ? [null] : goals.slice(-rise);
      for (const goal of rise > 0 ? scored : []) say('goal', { score: after, score_before: base }, goal);
      const falls = after.home + after.away < base.home + base.away;
      if (rise === 0 && falls && goals.length === 0 && !this.#version.hasCancelled)
        say('goal_cancelled', { score: after, score_before: base });
    }
    const [was, is] = [value?.before, value?.after].map((status) => FINISHED.test(status ?? ''));
    if (kind === 'status_changed' && is && !was) say('final', { score: match.score });
    if (kind === 'status_changed' && was && !is) say('final_withdrawn');
    if (kind === 'guard_changed') {
      const [old, reasons] = [match.guard_before?.reasons ?? [], match.guard.reasons];
      const [differed, differs] = [old, reasons].map((some) => some.includes('score_differs'));
      if (old.length === 0 && reasons.length > 0) say('guard_closed', { reasons });
      if (differs && !differed) say('score_differs', { reasons });
      if (differed && !differs) say('score_agrees', { reasons });
      if (old.length > 0 && reasons.length === 0) say('guard_opened', { reasons: old });
    }
    if (kind.startsWith('incident_')) {
      const [stood, stands] = [before, now].map((one) => one?.incident_type === RED_CARD && one.stands);
      if (stood && !(stands && before?.team_id === now?.team_id)) say('red_card_cancelled', {}, before);
      if (stands && !(stood && before?.team_id === now?.team_id)) say('red_card', {}, now);
    }
  }
}

test('match-transitions alone give every alert of a tournament, with all that it says', () => {
  const desk = new Desk();
  const published: Alert[] = [];
  const alertCodecs = {
    ...codecs,
    alerts: codecOf('alerts'),
    'webhook-messages': codecOf('webhook-messages'),
  };
  const alerts = new AlertPartition({
    partition: 0,
    codecs: alertCodecs,
    rules: [{ name: 'all', on: [...ALERT_KINDS] }],
    topicName: (topic) => topic,
    since: () => 0,
    latest: () => null,
    onPublished() {},
  });
  for (const { facts, messages } of played) {
    const partition = partitionOf();
    const before = desk.said.length;
    for (const [offset, message] of messages.entries()) {
      const value = codecs['normalized-messages'].encode(normalized(message, message.ut * 1_000));
      const records = commitMessages(partition, offset, value);
      for (const { topic, value } of records) {
        if (topic !== 'match-transitions' || value === null) continue;
        desk.read(codecs['match-transitions'].decode(value));
        const collector = new RecordCollector(0);
        alerts.process({ offset, key: null, value }, collector);
        for (const record of collector.records)
          if (record.topic === 'alerts') published.push(alertCodecs.alerts.decode(record.value as Buffer));
      }
    }
    const kinds = desk.said.slice(before).map(({ kind }) => kind);
    const count = (kind: Alert['kind']) => kinds.filter((one) => one === kind).length;
    const [home, away] = finalScore(facts);
    expect({ id: facts.id, goals: count('goal') - count('goal_cancelled') }).toEqual({
      id: facts.id,
      goals: home + away,
    });
    expect(count('final') - count('final_withdrawn')).toBe(1);
    partition.close();
  }
  expect(desk.said.length).toBeGreaterThan(2 * played.length);
  expect(published).toMatchObject(desk.said);
});
