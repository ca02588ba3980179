-- The days of a site, summed once: for each value of a dimension (label), its numbers on that day. A question about many days adds up
-- these rows instead of reading every event again. Visitor ids and visits end with the day, so all of these numbers add up over days.
-- `summing` names the run that wrote a row: one whole day of a site.
CREATE TABLE IF NOT EXISTS day_sums (
  site_id LowCardinality(String),
  -- '' for the totals of the day
  dimension LowCardinality(String),
  day Date CODEC(Delta, ZSTD(1)),
  summing LowCardinality(String) CODEC(ZSTD(1)),
  label String CODEC(ZSTD(1)),
  unique_visitors UInt64 CODEC(T64, ZSTD(1)),
  visits UInt64 CODEC(T64, ZSTD(1)),
  pageviews UInt64 CODEC(T64, ZSTD(1)),
  events UInt64 CODEC(T64, ZSTD(1)),
  bounces Int64 CODEC(T64, ZSTD(1)),
  visit_ms UInt64 CODEC(T64, ZSTD(1)),
  -- the cell key that decides how the numbers are changed for viewers: see server/stats/disclosure/cell-key.ts
  visitor_key UInt64 CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, dimension, day, label)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- The days that are summed, each with a fingerprint of the rows that were: their number, the sum of their ids, and how many of them count no
-- longer as events. A day is read from its sums only while its rows still have this fingerprint, so a late event or a deletion can never
-- make an answer wrong: the day is read from its events again until it is summed again.
CREATE TABLE IF NOT EXISTS summed_days (
  site_id LowCardinality(String),
  day Date,
  summing String CODEC(ZSTD(1)),
  row_count UInt64,
  row_ids UInt64,
  replaced UInt64,
  version UInt64,
  -- how many visits of the day are mixed (day_visits)
  mixed UInt64,
  -- 1 if the visits of the day are stored, 0 if they could not be
  has_visits UInt8,
  -- The dimensions by which the day was summed. A day that was summed before there was a dimension lacks it, and is read from its events for that
  -- dimension until it is summed again.
  dimensions Array(LowCardinality(String)) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (site_id, day)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

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
  -- 1 if the visitor has no other row on this day: most are counted without being told apart
  is_single UInt8 CODEC(ZSTD(1)),
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

-- How often goals were reached on closed days, and what was paid then. `goal` is a hash of what is counted: the conditions of a goal or of
-- several, with the currency and the largest amount. A renamed goal is still the same one; a goal that was edited is another.
-- `summing` names the sums of the day that were in use: these numbers are in use together with them, and never change.
CREATE TABLE IF NOT EXISTS day_goals (
  site_id LowCardinality(String),
  day Date,
  summing LowCardinality(String) CODEC(ZSTD(1)),
  goal String CODEC(ZSTD(1)),
  conversions UInt64 CODEC(T64, ZSTD(1)),
  converted_visitors UInt64 CODEC(T64, ZSTD(1)),
  events UInt64 CODEC(T64, ZSTD(1)),
  orders Int64 CODEC(T64, ZSTD(1)),
  implausible_orders Int64 CODEC(T64, ZSTD(1)),
  payments Int64 CODEC(T64, ZSTD(1)),
  paid Decimal(38, 4) CODEC(ZSTD(1)),
  refunded Decimal(38, 4) CODEC(ZSTD(1)),
  paid_confirmed Decimal(38, 4) CODEC(ZSTD(1)),
  -- as visitor_key of day_sums
  converted_key UInt64 CODEC(ZSTD(1))
)
-- Two processes may count the same day.
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (site_id, day, summing, goal)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
