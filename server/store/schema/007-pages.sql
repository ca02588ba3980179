-- Most sites have few pages beside their views. Such a column keeps each page once and a number in each row, so conditions on pages (the
-- patterns of goals, funnels and filters) are worked out for each page and not for each row.
-- The projection of 005 is rebuilt, since it includes the column.
ALTER TABLE events DROP PROJECTION IF EXISTS page_views;
ALTER TABLE events MODIFY COLUMN page LowCardinality(String) CODEC(ZSTD(1));
ALTER TABLE events ADD PROJECTION IF NOT EXISTS page_views
  (SELECT site_id, toDate(time), day, page, name, count() GROUP BY site_id, toDate(time), day, page, name);
ALTER TABLE events MATERIALIZE PROJECTION page_views;
