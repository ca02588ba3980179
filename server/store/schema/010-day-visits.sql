-- The visits of closed days, one row for each: what its events add up to, the page views and events in it (seen), its payments
-- (paid), and how its measured page views were read (read). Filtered questions, and those about money and reading, read these rows instead
-- of the events, which are four times as many.
-- An event without a visit has a row of its own.
CREATE TABLE IF NOT EXISTS day_visits (
  site_id LowCardinality(String),
  -- 1 if the visit has payments: they lie together, so that questions about money read nothing else
  is_paying UInt8 CODEC(ZSTD(1)),
  day Date CODEC(Delta, ZSTD(1)),
  summing LowCardinality(String) CODEC(ZSTD(1)),
  -- numbered within the day, which takes far less space than the ids; 0 for none
  visitor UInt64 CODEC(Delta, ZSTD(1)),
  visit UInt64 CODEC(Delta, ZSTD(1)),
  -- 1 if the rows of the visit differ in the columns below: such a day is read from its events
  is_mixed UInt8 CODEC(ZSTD(1)),
  channel LowCardinality(String) CODEC(ZSTD(1)),
  source LowCardinality(String) CODEC(ZSTD(1)),
  referrer LowCardinality(String) CODEC(ZSTD(1)),
  utm_source LowCardinality(String) CODEC(ZSTD(1)),
  utm_medium LowCardinality(String) CODEC(ZSTD(1)),
  utm_campaign LowCardinality(String) CODEC(ZSTD(1)),
  utm_content LowCardinality(String) CODEC(ZSTD(1)),
  utm_term LowCardinality(String) CODEC(ZSTD(1)),
  country LowCardinality(String) CODEC(ZSTD(1)),
  region LowCardinality(String) CODEC(ZSTD(1)),
  city LowCardinality(String) CODEC(ZSTD(1)),
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  entry_page LowCardinality(String) CODEC(ZSTD(1)),
  exit_page LowCardinality(String) CODEC(ZSTD(1)),
  visits UInt64 CODEC(T64, ZSTD(1)),
  pageviews UInt64 CODEC(T64, ZSTD(1)),
  events UInt64 CODEC(T64, ZSTD(1)),
  bounces Int64 CODEC(T64, ZSTD(1)),
  visit_ms UInt64 CODEC(T64, ZSTD(1)),
  `seen.name` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `seen.page` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `seen.hostname` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `paid.name` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `paid.page` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `paid.hostname` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `paid.currency` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `paid.amount` Array(Decimal(18, 4)) CODEC(ZSTD(1)),
  `paid.confirmed` Array(UInt8) CODEC(ZSTD(1)),
  `read.page` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `read.hostname` Array(LowCardinality(String)) CODEC(ZSTD(1)),
  `read.ms` Array(UInt64) CODEC(ZSTD(1)),
  `read.scroll` Array(UInt8) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, is_paying, day, visitor)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
-- How many visits of the day are mixed.
ALTER TABLE summed_days ADD COLUMN IF NOT EXISTS mixed UInt64;
-- 1 if the visits of the day are stored. An earlier version, which may still run on another machine, writes no visits and leaves 0.
ALTER TABLE summed_days ADD COLUMN IF NOT EXISTS has_visits UInt8;
-- Days that were summed without their visits are summed again. `replaced` counts all superseded events since then, payments included.
TRUNCATE TABLE summed_days;
TRUNCATE TABLE day_sums;
