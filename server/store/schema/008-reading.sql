-- How far a page view had been read before an engagement row: its greatest depth, and its visible time. A row alone then tells whether it
-- is the one at which the view reached a depth or a time, and no query needs to follow the view.
ALTER TABLE events ADD COLUMN IF NOT EXISTS scroll_before UInt8 CODEC(ZSTD(1));
ALTER TABLE events ADD COLUMN IF NOT EXISTS engaged_before_ms UInt32 CODEC(ZSTD(1));
-- 1 if the rows of this visit may have arrived out of order, so that queries must follow its views after all.
-- In rows from before these columns, that is all engagement.
ALTER TABLE events ADD COLUMN IF NOT EXISTS out_of_order UInt8 DEFAULT name = 'engagement' CODEC(ZSTD(1));
