-- Who scored most, of goals.parquet: touchline export key-incidents --out goals.parquet; an own goal (423) is nobody's
SELECT
  season_id,
  player_name,
  CASE WHEN team_id = home_id THEN home_name ELSE away_name END AS team,
  count(*) AS goals
FROM read_parquet('goals.parquet')
WHERE counts_for_id IS NOT NULL AND incident_type <> 423
GROUP BY season_id, player_id, player_name, team
ORDER BY season_id, goals DESC, player_name;
