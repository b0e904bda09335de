/** Turns records of topics into stored rows; each is rendered once, when it is written. */
import type { ReadPosition, ViewRecord } from '../ingest/records.ts';
import type { Changed, Views } from '../store/views.ts';
import { renderEvent } from './event.ts';
import { renderFeedMessage } from './feed-message.ts';
import { renderIncident } from './incident.ts';

/** Applies records to `views`, all or none; those of a partition are in order. `positions` and `now` as in `Views.write`. */
export function applyRecords(
  views: Views,
  records: readonly ViewRecord[],
  positions: readonly ReadPosition[],
  now: number,
): void {
  // They come twice a second and are expired after a restart: not worth a transaction.
  if (records.every(isHeartbeat)) {
    for (const { key, value } of records.filter(isHeartbeat)) views.health.apply(key, value);
    return;
  }
  views.write(positions, now, (changed) => {
    for (const record of records) {
      const at = views.changedAt(record, now);
      if (record.topic === 'feed-health') {
        const event = record.value?.event_id ?? null;
        if (event === null || views.coverage.keepsOf(event)) views.health.apply(record.key, record.value);
        continue;
      }
      changed.answers = true;
      if (record.topic === 'catalogue') changed.names = applyName(views, record, at) || changed.names;
      else applyValue(views, record, at, changed);
    }
  });
}

/** Whether it is the record of a source of feed-health. */
function isHeartbeat(record: ViewRecord): record is ViewRecord<'feed-health'> {
  return record.topic === 'feed-health' && !record.key.includes('/');
}

/** Whether the record is new. `at`: when it becomes visible, Unix seconds. */
function applyName(
  { catalogue, places }: Views,
  { key, value }: ViewRecord<'catalogue'>,
  at: number,
): boolean {
  if (value === null) {
    catalogue.remove(key);
    return true;
  }
  if (!catalogue.apply(value, at)) return false;
  places.recorded(value.kind, value.id, at);
  return true;
}

function applyValue(views: Views, record: ViewRecord, at: number, changed: Changed): void {
  const { topic, value, partition, offset } = record;
  if (value === null) return;
  switch (topic) {
    case 'match-state': {
      const { matches, catalogue, coverage, places } = views;
      const known = matches.known(value.event_id);
      if (known !== undefined && known.version >= value.version) return;
      if (!coverage.keepsState(value)) return;
      const rendered = renderEvent(value, (id) => catalogue.name('status', id) ?? undefined);
      const placeVersion = matches.placeVersion;
      changed.states.set(value.event_id, matches.put(value, rendered, known, at));
      views.freshness.applied(value.event_id, value.version);
      if (matches.placeVersion !== placeVersion) places.seen(value, at);
      changed.events.add(value.event_id);
      return;
    }
    case 'match-incidents': {
      // Where only its delete has arrived there is nothing to show.
      if (value.incident === null || !views.coverage.keepsOf(value.event_id)) return;
      const rendered = renderIncident(value.incident, (id) => views.catalogue.find('incident', id)?.record);
      if (views.incidentLog.put(value, value.incident, rendered)) changed.events.add(value.event_id);
      return;
    }
    case 'match-transitions':
      if (!views.coverage.keepsOf(value.event_id)) return;
      views.incidentLog.applyTransition(value, at);
      views.freshness.changed(value.event_id, value.version);
      return;
    case 'normalized-messages': {
      if (!views.coverage.keepsOf(value.event_id)) return;
      const rendered = renderFeedMessage(value);
      if (rendered !== null) views.feed.put(value, rendered, { partition, offset, changed: at });
      return;
    }
    case 'standings-catalogue':
      if (!views.coverage.serves(value.competition_id)) return;
      views.standings.applyEntry(value, at);
      changed.seasons.add(value.season_id);
      return;
    case 'standings':
      if (!views.coverage.serves(value.competition_id)) return;
      views.standings.apply(value, at);
      changed.seasons.add(value.season_id);
      return;
  }
}
