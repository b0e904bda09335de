-- Who scored most, of incidents.parquet: touchline export incidents --out incidents.parquet; an own goal (423) is nobody's
SELECT season_id, player_name, participant_name AS team, count(*) AS goals
FROM read_parquet('incidents.parquet')
WHERE counts AND incident_type <> 423
GROUP BY season_id, player_id, player_name, team
ORDER BY season_id, goals DESC, player_name;
