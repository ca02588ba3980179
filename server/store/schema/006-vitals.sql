-- How fast page views felt: one row for each that was measured. Sorted by day and page, since most questions are about pages. It has the columns
-- of its visit that filters ask for, so that a filter by them reads no events.
CREATE TABLE IF NOT EXISTS vitals (
  site_id LowCardinality(String),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(1)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  page LowCardinality(String) CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
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
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  lcp_element LowCardinality(String) CODEC(ZSTD(1)),
  inp_element LowCardinality(String) CODEC(ZSTD(1)),
  navigation LowCardinality(String) CODEC(ZSTD(1)),
  connection LowCardinality(String) CODEC(ZSTD(1)),
  lcp Nullable(Float32) CODEC(ZSTD(1)),
  inp Nullable(Float32) CODEC(ZSTD(1)),
  cls Nullable(Float32) CODEC(ZSTD(1)),
  fcp Nullable(Float32) CODEC(ZSTD(1)),
  ttfb Nullable(Float32) CODEC(ZSTD(1)),
  -- the figures of each day, as stats/vitals/sql.ts asks for them: a month of 5 million views then takes milliseconds in place of 1.4 s
  PROJECTION figures
    (SELECT site_id, toDate(time), day, count(),
      quantileTDigest(0.75)(lcp), count(lcp), countIf(lcp <= toFloat32(2500)), countIf(lcp > toFloat32(4000)),
      quantileTDigest(0.75)(inp), count(inp), countIf(inp <= toFloat32(200)), countIf(inp > toFloat32(500)),
      quantileTDigest(0.75)(cls), count(cls), countIf(cls <= toFloat32(0.1)), countIf(cls > toFloat32(0.25)),
      quantileTDigest(0.75)(fcp), count(fcp), countIf(fcp <= toFloat32(1800)), countIf(fcp > toFloat32(3000)),
      quantileTDigest(0.75)(ttfb), count(ttfb), countIf(ttfb <= toFloat32(800)), countIf(ttfb > toFloat32(1800))
    GROUP BY site_id, toDate(time), day)
)
-- `rebuild`: deleted rows leave the projection, too
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, toDate(time), page, visitor_id, time)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1,
  lightweight_mutation_projection_mode = 'rebuild';

-- Those of purged visits: see 002-purged.sql.
CREATE TABLE IF NOT EXISTS purged_vitals (
  site_id LowCardinality(String),
  purge LowCardinality(String) CODEC(ZSTD(1)),
  time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
  event_id UInt64 CODEC(NONE),
  day Date CODEC(ZSTD(1)),
  visitor_id UInt64 CODEC(ZSTD(1)),
  visit_id UInt64 CODEC(ZSTD(1)),
  hostname LowCardinality(String) CODEC(ZSTD(1)),
  page LowCardinality(String) CODEC(ZSTD(1)),
  entry_page String CODEC(ZSTD(1)),
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
  browser LowCardinality(String) CODEC(ZSTD(1)),
  browser_version LowCardinality(String) CODEC(ZSTD(1)),
  os LowCardinality(String) CODEC(ZSTD(1)),
  os_version LowCardinality(String) CODEC(ZSTD(1)),
  device LowCardinality(String) CODEC(ZSTD(1)),
  language LowCardinality(String) CODEC(ZSTD(1)),
  screen LowCardinality(String) CODEC(ZSTD(1)),
  lcp_element LowCardinality(String) CODEC(ZSTD(1)),
  inp_element LowCardinality(String) CODEC(ZSTD(1)),
  navigation LowCardinality(String) CODEC(ZSTD(1)),
  connection LowCardinality(String) CODEC(ZSTD(1)),
  lcp Nullable(Float32) CODEC(ZSTD(1)),
  inp Nullable(Float32) CODEC(ZSTD(1)),
  cls Nullable(Float32) CODEC(ZSTD(1)),
  fcp Nullable(Float32) CODEC(ZSTD(1)),
  ttfb Nullable(Float32) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (site_id, purge, time)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
