-- Who scored most, of incidents.parquet: touchline export incidents --out incidents.parquet; an own goal (423) is nobody's
SELECT
  season_id,
  incident_subparticipant_name AS player_name,
  incident_participant_name AS team,
  count(*) AS goals
FROM read_parquet('incidents.parquet')
WHERE counts AND incident_incident_id <> 423
GROUP BY season_id, incident_subparticipant_id, player_name, team
ORDER BY season_id, goals DESC, player_name;
