-- Goals that were taken back and how long they stood, of transitions.parquet: touchline export transitions --out transitions.parquet
WITH goals AS (
  SELECT event_id, incident_id, min(cause_received_at) AS added_at
  FROM read_parquet('transitions.parquet')
  WHERE kind = 'incident_added'
  GROUP BY event_id, incident_id
)
SELECT count(DISTINCT (event_id, incident_id)) AS taken_back, max(cancelled.cause_received_at - goals.added_at) AS longest
FROM read_parquet('transitions.parquet') AS cancelled
JOIN goals USING (event_id, incident_id)
WHERE cancelled.kind = 'goal_cancelled';
