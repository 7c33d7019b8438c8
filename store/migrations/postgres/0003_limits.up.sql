-- Requests and streams, counted for all processes. The tables are UNLOGGED:
-- counting waits for no disk, and a crash of the server empties them, which
-- costs no more than counts of a minute and slots of streams that still run.

-- A window is what ratelimit.Window says: last is the Unix second of the latest
-- request that was counted, second s has the place s % 61 in the ring.
CREATE UNLOGGED TABLE request_windows (
    scope TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    last  BIGINT NOT NULL DEFAULT 0,
    ring  INT[]  NOT NULL DEFAULT array_fill(0, ARRAY[61]) CHECK (cardinality(ring) = 61)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Slot n of a scope is its holder's until_at, in Unix microseconds. That a
-- number is there once bounds how many run, whatever races.
CREATE UNLOGGED TABLE stream_slots (
    scope    TEXT COLLATE "C" NOT NULL,
    n        INT    NOT NULL CHECK (n > 0),
    holder   TEXT COLLATE "C" NOT NULL,
    until_at BIGINT NOT NULL,
    PRIMARY KEY (scope, n)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

CREATE INDEX stream_slots_by_holder ON stream_slots (holder);

-- What has counted from the past is out at this instant; the clock of the
-- server is read anew at each call, not once a transaction.
CREATE FUNCTION clock_us() RETURNS BIGINT LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::BIGINT;

-- take_request counts a request at every scope when all have room in their
-- budget (requests a minute), else at none, and returns a row for each scope, in
-- their order: the decision, as ratelimit.Window makes it, and how many streams
-- run. A budget below 0 is not counted and has room. No scope may be there
-- twice. Now_us is for tests; NULL is the server's clock.
--
-- Windows are locked in the order of their scopes, each before the next is
-- looked for, so that no two calls wait for each other. The clock is read when
-- all are locked: a request never counts from before it could pass.
CREATE FUNCTION take_request(scopes TEXT[], budgets INT[], now_us BIGINT DEFAULT NULL)
RETURNS TABLE (allowed BOOLEAN, remaining INT, reset_us BIGINT, retry_us BIGINT, streams BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    windows request_windows[] := array_fill(NULL::request_windows, ARRAY[cardinality(scopes)]);
    used    BIGINT[] := array_fill(0::BIGINT, ARRAY[cardinality(scopes)]);
    pass    BOOLEAN := true;
    w       request_windows;
    ring    INT[];
    i       INT;
    c       INT;
    n       BIGINT;
    s       BIGINT;
    at_us   BIGINT; -- the present, as a window sees it
    at_s    BIGINT; -- its second
BEGIN
    FOR i IN SELECT o FROM unnest(scopes) WITH ORDINALITY AS u (id, o) ORDER BY id COLLATE "C" LOOP
        CONTINUE WHEN budgets[i] < 0;
        LOOP
            SELECT * INTO w FROM request_windows AS r WHERE r.scope = scopes[i] FOR UPDATE;
            EXIT WHEN FOUND;
            IF budgets[i] = 0 THEN -- nothing to count, so nothing to lock
                w := ROW (scopes[i], 0, array_fill(0, ARRAY[61]));
                EXIT;
            END IF;
            INSERT INTO request_windows (scope) VALUES (scopes[i]) ON CONFLICT DO NOTHING;
        END LOOP;
        windows[i] := w;
    END LOOP;
    now_us := coalesce(now_us, clock_us());

    -- Empty the seconds that no longer count, in the copies.
    FOR i IN 1 .. cardinality(scopes) LOOP
        CONTINUE WHEN budgets[i] < 0;
        w := windows[i];
        at_s := greatest(now_us / 1000000, w.last);
        IF at_s - w.last > 60 THEN
            windows[i].ring := array_fill(0, ARRAY[61]);
            n := 0;
        ELSE
            ring := w.ring;
            FOR c IN 1 .. at_s - w.last LOOP
                ring[(w.last + c) % 61 + 1] := 0;
            END LOOP;
            n := 0;
            FOREACH c IN ARRAY ring LOOP
                n := n + c;
            END LOOP;
            windows[i].ring := ring;
        END IF;
        used[i] := n;
        pass := pass AND n < budgets[i];
    END LOOP;

    FOR i IN 1 .. cardinality(scopes) LOOP
        SELECT count(*) INTO streams FROM stream_slots AS x WHERE x.scope = scopes[i] AND x.until_at > now_us;
        IF budgets[i] < 0 THEN
            allowed := true;
            remaining := -1;
            reset_us := 0;
            retry_us := 0;
            RETURN NEXT;
            CONTINUE;
        END IF;
        w := windows[i];
        ring := w.ring;
        at_us := greatest(now_us, w.last * 1000000);
        at_s := at_us / 1000000;
        allowed := used[i] < budgets[i];
        remaining := greatest(budgets[i] - used[i], 0);
        retry_us := 0;
        IF pass THEN
            c := at_s % 61 + 1;
            ring[c] := ring[c] + 1;
            UPDATE request_windows AS r SET last = at_s, ring = ring WHERE r.scope = w.scope;
            remaining := remaining - 1;
            reset_us := (at_s + 61) * 1000000 - at_us;
        ELSE
            reset_us := CASE WHEN used[i] > 0 THEN (w.last + 61) * 1000000 - at_us ELSE 0 END;
        END IF;
        IF budgets[i] = 0 THEN
            retry_us := 61000000;
        ELSIF NOT allowed THEN
            s := w.last;
            n := ring[s % 61 + 1];
            WHILE n < budgets[i] LOOP
                s := s - 1;
                n := n + ring[(s + 61) % 61 + 1];
            END LOOP;
            retry_us := (s + 61) * 1000000 - at_us;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

-- take_requests is take_request so many times, one after the other: what a
-- process was asked at once costs one round trip. Call counts from 1; those that
-- are missing come after a refusal and are refused likewise.
CREATE FUNCTION take_requests(times INT, scopes TEXT[], budgets INT[], now_us BIGINT DEFAULT NULL)
RETURNS TABLE (call INT, allowed BOOLEAN, remaining INT, reset_us BIGINT, retry_us BIGINT, streams BIGINT)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    pass BOOLEAN := true;
BEGIN
    FOR i IN 1 .. times LOOP
        call := i;
        FOR allowed, remaining, reset_us, retry_us, streams IN SELECT * FROM take_request(scopes, budgets, now_us) LOOP
            pass := pass AND allowed;
            RETURN NEXT;
        END LOOP;
        EXIT WHEN NOT pass;
    END LOOP;
END $$;

-- take_slot takes the lowest free number at every scope when all have one, else
-- at none, and returns a row for each scope, in their order: whether it had one,
-- and how many are taken after it. Limits are not below 0; no scope may be there
-- twice. Now_us is for tests; NULL is the server's clock.
--
-- A lock for each scope is taken first, in a statement of its own, so that the
-- next one sees what its last owner wrote. With it nobody else takes a number of
-- these scopes. Slots that are given back, renewed or swept at the same time are
-- not waited for, but count as taken; so no two calls wait for each other.
CREATE FUNCTION take_slot(holder TEXT, scopes TEXT[], limits INT[], lease_us BIGINT, now_us BIGINT DEFAULT NULL)
RETURNS TABLE (had BOOLEAN, taken INT)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    counts  INT[];
    numbers INT[];
    pass    BOOLEAN := true;
    slot    RECORD;
    free    INT;
    i       INT;
BEGIN
    PERFORM pg_advisory_xact_lock(k)
    FROM (SELECT hashtextextended(id, 0) AS k FROM unnest(scopes) AS u (id) ORDER BY 1) AS locks;
    now_us := coalesce(now_us, clock_us());
    FOR i IN 1 .. cardinality(scopes) LOOP
        taken := 0;
        free := 1;
        FOR slot IN SELECT x.n, x.until_at FROM stream_slots AS x WHERE x.scope = scopes[i] ORDER BY x.n LOOP
            IF slot.until_at <= now_us THEN
                DELETE FROM stream_slots AS x WHERE (x.scope, x.n) IN (
                    SELECT y.scope, y.n FROM stream_slots AS y
                    WHERE y.scope = scopes[i] AND y.n = slot.n AND y.until_at <= now_us
                    FOR UPDATE SKIP LOCKED);
                CONTINUE WHEN FOUND;
            END IF;
            taken := taken + 1;
            IF slot.n = free THEN
                free := free + 1;
            END IF;
        END LOOP;
        counts[i] := taken;
        numbers[i] := free;
        pass := pass AND taken < limits[i];
    END LOOP;
    IF pass THEN
        INSERT INTO stream_slots (scope, n, holder, until_at)
        SELECT u.scope, u.n, holder, now_us + lease_us FROM unnest(scopes, numbers) AS u (scope, n);
    END IF;
    FOR i IN 1 .. cardinality(scopes) LOOP
        had := counts[i] < limits[i];
        taken := counts[i] + pass::INT;
        RETURN NEXT;
    END LOOP;
END $$;

-- renew_slots moves the leases of holders, but of slots that somebody else is
-- giving back or taking over at this moment.
CREATE FUNCTION renew_slots(holders TEXT[], lease_us BIGINT, now_us BIGINT DEFAULT NULL)
RETURNS VOID LANGUAGE sql AS $$
    WITH mine AS MATERIALIZED (
        SELECT scope, n FROM stream_slots WHERE holder = ANY (holders) FOR UPDATE SKIP LOCKED)
    UPDATE stream_slots AS s SET until_at = coalesce(now_us, clock_us()) + lease_us
    FROM mine WHERE s.scope = mine.scope AND s.n = mine.n;
$$;

-- sweep_limits forgets up to 10000 slots whose lease ran out and as many
-- windows in which nothing counts, and waits for none that is in use. A window
-- more than a minute in the future is of a clock that was wrong; it goes, too.
CREATE FUNCTION sweep_limits(now_us BIGINT DEFAULT NULL)
RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    now_us := coalesce(now_us, clock_us());
    DELETE FROM stream_slots AS s WHERE (s.scope, s.n) IN (
        SELECT x.scope, x.n FROM stream_slots AS x WHERE x.until_at <= now_us LIMIT 10000 FOR UPDATE SKIP LOCKED);
    DELETE FROM request_windows AS w WHERE w.scope IN (
        SELECT x.scope FROM request_windows AS x
        WHERE x.last < now_us / 1000000 - 61 OR x.last > now_us / 1000000 + 61
        LIMIT 10000 FOR UPDATE SKIP LOCKED);
END $$;
