-- The dimensions by which a day was summed. A day that lacks one, because it was summed before there was one, is read from its events until it
-- is summed again. An earlier version, which may still run on another machine, names none.
ALTER TABLE summed_days ADD COLUMN IF NOT EXISTS dimensions Array(LowCardinality(String)) CODEC(ZSTD(1));
