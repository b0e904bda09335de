-- Goals and results of a season, of states.parquet: touchline export states --season <id> --out states.parquet
SELECT
  season_id,
  count(*) AS matches,
  sum(home_score + away_score) AS goals,
  count(*) FILTER (home_score > away_score) AS home_wins,
  count(*) FILTER (home_score = away_score) AS draws,
  count(*) FILTER (home_score < away_score) AS away_wins
FROM read_parquet('states.parquet')
WHERE status_type = 'finished'
GROUP BY season_id
ORDER BY season_id;
