-- The day towards which a row counts: its site's day at collection. It is the UTC day for sites without a time zone, and for rows
-- from before this column. It never changes. A visitor has one id per day, so (site_id, day, visitor_id) is one visitor on one day.
ALTER TABLE events ADD COLUMN IF NOT EXISTS day Date DEFAULT toDate(time) CODEC(ZSTD(1));
ALTER TABLE ai_visits ADD COLUMN IF NOT EXISTS day Date DEFAULT toDate(time) CODEC(ZSTD(1));
-- The kept counts of 003 by both days, for queries in UTC days and in the site's days. For a site in UTC both days are the same,
-- so it has no more counts than before.
ALTER TABLE events DROP PROJECTION IF EXISTS page_views;
ALTER TABLE events DROP PROJECTION IF EXISTS visitors;
ALTER TABLE events ADD PROJECTION IF NOT EXISTS page_views
  (SELECT site_id, toDate(time), day, page, name, count() GROUP BY site_id, toDate(time), day, page, name);
ALTER TABLE events ADD PROJECTION IF NOT EXISTS visitors
  (SELECT site_id, toDate(time), day, uniqExactIf(visitor_id, visitor_id != 0) GROUP BY site_id, toDate(time), day);
ALTER TABLE events MATERIALIZE PROJECTION page_views;
ALTER TABLE events MATERIALIZE PROJECTION visitors;
