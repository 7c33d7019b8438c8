-- Who made the audio of a request, as in the header x-engine; '' where nothing was spoken, and
-- of requests before this column.
ALTER TABLE requests ADD COLUMN engine TEXT COLLATE "C" NOT NULL DEFAULT '';
