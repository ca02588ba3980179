-- Every accepted event, kept forever. Each row has all columns that a report needs, so a report is one scan without a join.
-- Sorted by day and visitor: a visitor's values repeat in neighbouring rows and compress to almost nothing.
CREATE TABLE IF NOT EXISTS events (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  name LowCardinality(String) CODEC(ZSTD(1)),
  -- 0 for events that a server sent
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  -- The event's share of its visit, written by the queue's writer. Sums of these columns need no grouping by visit:
  -- 1 on the first event of a visit
  visit_started UInt8 CODEC(ZSTD(1)),
  -- +1 on the event that makes the visit a bounce, -1 on the one that ends the bounce
  bounces Int8 CODEC(ZSTD(1)),
  -- milliseconds from the visit's last event to this one
  visit_ms UInt32 CODEC(ZSTD(1)),
  -- Most sites have few pages beside their views. Such a column keeps each page once and a number in each row, so conditions on pages (the
  -- patterns of goals, funnels and filters) are worked out for each page and not for each row.
  page LowCardinality(String) CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
  -- the import that brought the row: events of an import leave with it
  import_id LowCardinality(String) CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  channel LowCardinality(String) CODEC(ZSTD(1)),
  source LowCardinality(String) CODEC(ZSTD(1)),
  referrer String CODEC(ZSTD(1)),
  utm_source LowCardinality(String) CODEC(ZSTD(1)),
  utm_medium LowCardinality(String) CODEC(ZSTD(1)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(1)),
  utm_content LowCardinality(String) CODEC(ZSTD(1)),
  utm_term LowCardinality(String) CODEC(ZSTD(1)),
  country LowCardinality(String) CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  city LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  props Map(LowCardinality(String), String) CODEC(ZSTD(1)),
  amount Decimal(18, 4) CODEC(ZSTD(1)),
  currency LowCardinality(String) CODEC(ZSTD(1)),
  interactive UInt8 CODEC(ZSTD(1)),
  engaged_ms UInt32 CODEC(ZSTD(1)),
  scroll UInt8 CODEC(ZSTD(1)),
  -- 1 if a server of the site reported the event, 0 if a browser did: anybody can make a browser send anything
  confirmed UInt8 DEFAULT visitor_id = 0 CODEC(ZSTD(1)),
  -- The day towards which a row counts: its site's day at collection, which is the UTC day for sites without a time zone. It never changes.
  -- A visitor has one id per day, so (site_id, day, visitor_id) is one visitor on one day.
  day Date DEFAULT toDate(time) CODEC(ZSTD(1)),
  -- keyed hash of the order that an event belongs to; 0 for none
  order_id UInt64 CODEC(ZSTD(1)),
  -- the event's id again if it has an order, else 0: a column of zeros is read much faster than one of ids
  order_event UInt64 CODEC(ZSTD(1)),
  -- How far a page view had been read before an engagement row: its greatest depth, and its visible time. A row alone then tells whether it
  -- is the one at which the view reached a depth or a time, and no query needs to follow the view.
  scroll_before UInt8 CODEC(ZSTD(1)),
  engaged_before_ms UInt32 CODEC(ZSTD(1)),
  -- 1 if the rows of this visit may have arrived out of order, so that queries must follow its views after all
  out_of_order UInt8 DEFAULT name = 'engagement' CODEC(ZSTD(1)),
  -- finds the reports of an order in all months
  INDEX orders order_id TYPE bloom_filter(0.001) GRANULARITY 1,
  -- The counts that queries need most: page views per day and page, and visitors per day. They are computed when a part is written and merged
  -- with it, so they always match its rows. 30 days of 5 million events then cost 45 ms of CPU instead of 210. Both are by UTC day and by the
  -- site's day; for a site in UTC these are the same. The store uses them for any query in the same terms: see `kept` in stats/sql/metrics.ts.
  PROJECTION page_views
    (SELECT site_id, toDate(time), day, page, name, count() GROUP BY site_id, toDate(time), day, page, name),
  -- with the fingerprint of each day (summed_days), so that comparing it reads no rows
  PROJECTION visitors
    (SELECT site_id, toDate(time), day, uniqExactIf(visitor_id, visitor_id != 0), count(), sum(event_id), max(time), countIf(currency != '')
    GROUP BY site_id, toDate(time), day)
)
-- `rebuild`: deleted rows leave the projections, too. Without it, a deletion is refused.
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild';

-- Requests by agents of AI providers, in a table of their own, so that no report can mix them with people's events.
CREATE TABLE IF NOT EXISTS ai_visits (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  ai_provider LowCardinality(String) CODEC(ZSTD(1)),
  ai_agent LowCardinality(String) CODEC(ZSTD(1)),
  ai_purpose LowCardinality(String) CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  ai_page String CODEC(ZSTD(1)),
  status UInt16 CODEC(ZSTD(1)),
  -- the import that brought the row: those of an access log leave with it
  import_id LowCardinality(String) CODEC(ZSTD(1)),
  -- as that of events
  day Date DEFAULT toDate(time) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), ai_provider, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1;

-- Events that do not count as payments, since a better report of the same order does. `replaced`: they do not count as events either,
-- since the better report is about the same event. This table is a set: the same row may be written many times.
CREATE TABLE IF NOT EXISTS superseded (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  replaced UInt8 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), event_id, replaced)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
