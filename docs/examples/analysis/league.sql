-- Goals and results of a season, of states.parquet: touchline export states --season <id> --out states.parquet
-- An abandoned match (status 7) has no result, an awarded one (12) the provider's, whatever was played
WITH results AS (
  SELECT
    season_id,
    CASE WHEN status_id = 12 THEN coalesce(reported_home, score_home) ELSE score_home END AS home,
    CASE WHEN status_id = 12 THEN coalesce(reported_away, score_away) ELSE score_away END AS away
  FROM read_parquet('states.parquet')
  WHERE status_type = 'finished' AND status_id IS DISTINCT FROM 7
)
SELECT
  season_id,
  count(*) AS matches,
  sum(home + away) AS goals,
  count(*) FILTER (home > away) AS home_wins,
  count(*) FILTER (home = away) AS draws,
  count(*) FILTER (home < away) AS away_wins
FROM results
GROUP BY season_id
ORDER BY season_id;
