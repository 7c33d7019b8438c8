-- A window keeps how much of its last second had passed at the latest request, in
-- microseconds, and that second counts until 60 s after it: nobody is told to wait for
-- longer. See ratelimit.Window.
ALTER TABLE request_windows ADD COLUMN late INT NOT NULL DEFAULT 0 CHECK (late BETWEEN 0 AND 999999);

-- take_request counts a request at every scope when all have room in their
-- budget (requests a minute), else at none, and returns a row for each scope, in
-- their order: the decision, as ratelimit.Window makes it, and how many streams
-- run. A budget below 0 is not counted and has room. No scope may be there
-- twice. Now_us is for tests; NULL is the server's clock.
--
-- Windows are locked in the order of their scopes, each before the next is
-- looked for, so that no two calls wait for each other. The clock is read when
-- all are locked: a request never counts from before it could pass.
CREATE OR REPLACE FUNCTION take_request(scopes TEXT[], budgets INT[], now_us BIGINT DEFAULT NULL)
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
                w := ROW (scopes[i], 0, array_fill(0, ARRAY[61]), 0);
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
        at_us := greatest(now_us, w.last * 1000000 + w.late);
        at_s := at_us / 1000000;
        IF at_us >= (w.last + 60) * 1000000 + w.late THEN
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
        at_us := greatest(now_us, w.last * 1000000 + w.late);
        at_s := at_us / 1000000;
        allowed := used[i] < budgets[i];
        remaining := greatest(budgets[i] - used[i], 0);
        retry_us := 0;
        IF pass THEN
            c := at_s % 61 + 1;
            ring[c] := ring[c] + 1;
            UPDATE request_windows AS r SET last = at_s, late = at_us % 1000000, ring = ring WHERE r.scope = w.scope;
            remaining := remaining - 1;
            reset_us := 60000000;
        ELSE
            reset_us := CASE WHEN used[i] > 0 THEN (w.last + 60) * 1000000 + w.late - at_us ELSE 0 END;
        END IF;
        IF budgets[i] = 0 THEN
            retry_us := 60000000;
        ELSIF NOT allowed THEN
            s := w.last;
            n := ring[s % 61 + 1];
            WHILE n < budgets[i] LOOP
                s := s - 1;
                n := n + ring[(s + 61) % 61 + 1];
            END LOOP;
            retry_us := CASE WHEN s = w.last THEN (s + 60) * 1000000 + w.late ELSE (s + 61) * 1000000 END - at_us;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;
