import type { KnockOutMatch, KnockOutStage, SeasonEntry } from './board-view.ts';
import { SqlView } from './sql.ts';

/** SQL condition on the catalogue: a stage with brackets, unless its record has `show_standings`. */
export const KNOCK_OUT = `kind = 'stage' AND json ->> '$.stage.has_brackets' AND json ->> '$.stage.show_standings' IS NOT 1`;

/** The knock-out stages of the provider's catalogue, with their matches. */
export class KnockOutView extends SqlView {
  /** Returns the seasons that have a match in a knock-out stage. */
  seasons(): Pick<SeasonEntry, 'season_id' | 'competition_id'>[] {
    const text = `SELECT season_id, max(competition_id) AS competition_id FROM events
      WHERE hidden = 0 AND season_id IS NOT NULL AND stage_id IN (SELECT number FROM catalogue WHERE ${KNOCK_OUT})
      GROUP BY season_id ORDER BY season_id`;
    return this.sql.rows(text);
  }

  /** Returns the knock-out stages of a season in the provider's order, each with its matches by start and id. */
  stages(seasonId: number): KnockOutStage[] {
    const text = `SELECT number, json FROM catalogue WHERE ${KNOCK_OUT} AND parent_id = ?
      ORDER BY json ->> '$.stage.sort', number`;
    const stages = this.sql.rows<{ number: number; json: string }>(text, String(seasonId));
    return stages.map(({ number, json }) => ({
      stage_id: number,
      name: textOf(JSON.parse(json).name),
      matches: this.#matches(number),
    }));
  }

  #matches(stageId: number): KnockOutMatch[] {
    const text = 'SELECT state, plain FROM events WHERE stage_id = ? AND hidden = 0 ORDER BY start, id';
    return this.sql.rows<{ state: string; plain: string }>(text, stageId).map(({ state, plain }) => {
      const { round_name, progress_id, winner_id, series } = JSON.parse(plain);
      return {
        state: JSON.parse(state),
        round: textOf(round_name),
        advancing_id: progress_id ?? null,
        winner_id: winner_id ?? null,
        series: series.event_ids.map(Number),
      };
    });
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
