/** Applies records of topics to the views. Each record is rendered once, when it is stored. */

import { LEVELS } from '#contract/rest/tree.ts';
import { isCard, isGoal } from '#domain/goals.ts';
import { withShortTexts } from '#json/short-text.ts';
import type { MatchState } from '#records/types.ts';
import { nextState } from '#trading/trading.ts';
import type { ReadPosition, ViewRecord } from '../records.ts';
import type { LevelNames } from '../store/board-view.ts';
import type { LostState, ViewChanges, Views } from '../store/views.ts';
import { renderEvent, renderIncident } from './event.ts';
import { renderFeedMessage } from './feed-message.ts';

/** Applies records, each partition's in order, in one transaction, as `Views.write`. Returns those whose match or table has a later version. */
export function applyRecords(
  views: Views,
  records: readonly ViewRecord[],
  positions: readonly ReadPosition[],
  now: number,
): readonly LostState[] {
  // Heartbeats come twice a second and have expired after a restart: they need no transaction.
  if (records.every(isHeartbeat)) {
    for (const { key, value } of records.filter(isHeartbeat)) views.health.apply(key, value);
    return [];
  }
  const outdated = outdatedStates(records);
  return views.write(positions, now, (changed) => {
    for (const given of records) {
      if (outdated.has(given)) continue;
      // Names of the provider have a length on every surface that reads views: REST, board, tools.
      const record = withShortTexts(given);
      const at = views.changedAt(record, now);
      if (record.topic === 'feed-health') {
        const event = record.value?.event_id ?? null;
        if (event === null || views.coverage.keepsEvent(event)) views.health.apply(record.key, record.value);
      } else if (record.topic === 'trading-halts')
        views.halts.table.apply(record.key, record.value, record.offset);
      else if (record.topic !== 'catalogue') applyValue(views, record, at, changed);
      else if (!applyName(views, record, at)) continue;
      else if (record.value?.kind === 'provider_league') changed.seasons.add(Number(record.value.parent_id));
      else changed.names = true;
    }
  });
}

/** Returns the states that a later one of the batch replaces, as rendering costs most; not one of another competition or a later version. */
function outdatedStates(records: readonly ViewRecord[]): ReadonlySet<ViewRecord> {
  const outdated = new Set<ViewRecord>();
  const latest = new Map<number, MatchState>();
  for (const record of records.toReversed()) {
    if (record.topic !== 'match-state' || record.value === null) continue;
    const { event_id, competition_id, version } = record.value;
    const later = latest.get(event_id);
    if (later?.competition_id === competition_id && later.version >= version) outdated.add(record);
    else latest.set(event_id, record.value);
  }
  return outdated;
}

/** Whether a record is that of a source on feed-health. */
function isHeartbeat(record: ViewRecord): record is ViewRecord<'feed-health'> {
  return record.topic === 'feed-health' && !record.key.includes('/');
}

/** Applies a catalogue record. Returns whether it is new. `at`: the time at which it becomes visible, Unix seconds. */
function applyName({ catalogue, tree }: Views, { key, value }: ViewRecord<'catalogue'>, at: number): boolean {
  if (value === null) {
    catalogue.remove(key);
    return true;
  }
  if (!catalogue.apply(value, at)) return false;
  tree.applyRecord(value.kind, value.id, at);
  return true;
}

/** Applies the names of an event's nodes that have no record in the catalogue. Returns whether one is new. */
function applyLevelNames(
  { catalogue, tree }: Views,
  state: MatchState,
  names: Partial<LevelNames>,
  at: number,
): boolean {
  let parent: number | null = null;
  let isNew = false;
  for (const level of LEVELS) {
    const [id, name] = [state[`${level}_id`], names[level]];
    if (id !== null && name != null && catalogue.applyReported(level, id, parent, name, at)) {
      tree.applyRecord(level, String(id), at);
      isNew = true;
    }
    parent = id;
  }
  return isNew;
}

function applyValue(views: Views, record: ViewRecord, at: number, changed: ViewChanges): void {
  const { topic, value, partition, offset } = record;
  if (value === null) return;
  switch (topic) {
    case 'match-state': {
      const { matches, catalogue, coverage, tree } = views;
      const id = value.event_id;
      const known = matches.known(id);
      const stored = known !== undefined && known.version >= value.version ? matches.row(id).state : null;
      const next = nextState(stored, value);
      if (next !== value) {
        if (next === stored || known === undefined) return;
        changed.states.set(id, matches.closeGuard(id, next.guard, at));
        changed.events.add(id);
        changed.wentBack.push({ topic, partition, known: known.version, record: value });
        return;
      }
      if (!coverage.keepsState(value)) return;
      const rendered = renderEvent(value, (status) => catalogue.name('status', status) ?? undefined);
      const treeVersion = matches.treeVersion;
      matches.put(value, rendered, known, at);
      if (applyLevelNames(views, value, rendered.levelNames, at)) changed.names = true;
      changed.states.set(id, rendered.shown);
      views.freshness.applied(id, value.version);
      if (matches.treeVersion !== treeVersion) tree.applyEvent(value, at);
      changed.events.add(id);
      return;
    }
    case 'match-incidents': {
      // Null if only the incident's deletion has arrived.
      if (value.incident === null || !views.coverage.keepsEvent(value.event_id)) return;
      const typeRecord = (id: number) => views.catalogue.find('incident', id);
      const rendered = renderIncident(value.incident, typeRecord, value.missing);
      views.incidentLog.put(value, value.incident, rendered);
      changed.events.add(value.event_id);
      if (isGoal(value.incident) || isCard(value.incident)) changed.keyIncidents.add(value.event_id);
      return;
    }
    case 'match-transitions':
      if (!views.coverage.keepsEvent(value.event_id)) return;
      views.incidentLog.applyTransition(value, at);
      views.freshness.changed(value.event_id, value.version);
      return;
    case 'normalized-messages': {
      if (!views.coverage.keepsEvent(value.event_id)) return;
      const rendered = renderFeedMessage(value);
      if (rendered !== null) views.feed.put(value, rendered, { partition, offset, changed: at });
      return;
    }
    case 'standings': {
      if (!views.coverage.serves(value.competition_id)) return;
      const known = views.standings.apply(value, at);
      if (known !== null) changed.wentBack.push({ topic, partition, known, record: value });
      else changed.seasons.add(value.season_id);
      return;
    }
    case 'provider-standings':
      if (!views.coverage.serves(value.competition_id)) return;
      views.standings.applyRanking(value, at);
      changed.seasons.add(value.season_id);
      return;
  }
}
