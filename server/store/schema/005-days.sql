-- The day on which a row counts: that of its site's time zone when it was collected, and the UTC day for sites without one and for rows
-- from before this column. It never changes. A visitor has one id a day, so (site_id, day, visitor_id) is one visitor on one day.
ALTER TABLE events ADD COLUMN IF NOT EXISTS day Date DEFAULT toDate(time) CODEC(ZSTD(1));
ALTER TABLE ai_visits ADD COLUMN IF NOT EXISTS day Date DEFAULT toDate(time) CODEC(ZSTD(1));
-- The kept counts of 003 by both days: they answer questions in UTC days and in days of the site. For a site in UTC both are the same,
-- so that its counts are no more than before.
ALTER TABLE events DROP PROJECTION IF EXISTS page_views;
ALTER TABLE events DROP PROJECTION IF EXISTS visitors;
ALTER TABLE events ADD PROJECTION IF NOT EXISTS page_views
  (SELECT site_id, toDate(time), day, page, name, count() GROUP BY site_id, toDate(time), day, page, name);
ALTER TABLE events ADD PROJECTION IF NOT EXISTS visitors
  (SELECT site_id, toDate(time), day, uniqExactIf(visitor_id, visitor_id != 0) GROUP BY site_id, toDate(time), day);
ALTER TABLE events MATERIALIZE PROJECTION page_views;
ALTER TABLE events MATERIALIZE PROJECTION visitors;
