package store

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/store/migrations"
	"vaak/store/storetest/pgtest"
)

// schemaLines say what a database holds, one line a thing, sorted. Lines are equal
// on both databases where the things mean the same.
type schemaLines []string

// sqliteSchema and postgresSchema give a line for each column, key, index and
// reference. A SQLite INTEGER may be a BIGINT or a BOOLEAN.
const sqliteSchema = `
SELECT 'column ' || t.name || '.' || c.name || ' ' || CASE c.type WHEN 'INTEGER' THEN 'integer' WHEN 'TEXT' THEN 'text' WHEN 'BLOB' THEN 'bytes' WHEN 'REAL' THEN 'real' ELSE c.type END
	|| CASE WHEN c."notnull" THEN ' not null' ELSE '' END || CASE WHEN c.dflt_value IS NULL THEN '' ELSE ' default' END
	FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
	WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
UNION ALL
SELECT CASE i.origin WHEN 'pk' THEN 'primary key ' WHEN 'u' THEN 'unique ' ELSE 'index ' || i.name || CASE WHEN i."unique" THEN ' unique ' ELSE ' ' END END
	|| t.name || ' (' || (SELECT group_concat(coalesce(k.name, '?') || CASE WHEN k.desc THEN ' desc' ELSE '' END, ', ' ORDER BY k.seqno) FROM pragma_index_xinfo(i.name) AS k WHERE k.key) || ')'
	|| CASE WHEN i.partial THEN ' where' ELSE '' END
	FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table'
UNION ALL -- the key of a table with rowid has no index
SELECT 'primary key ' || t.name || ' (' || c.name || ')'
	FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
	WHERE t.type = 'table' AND c.pk = 1 AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
	AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) AS i WHERE i.origin = 'pk')
UNION ALL
SELECT 'reference ' || t.name || ' (' || group_concat(f."from", ', ' ORDER BY f.seq) || ') to ' || f."table" || ' (' || group_concat(f."to", ', ' ORDER BY f.seq) || ') on delete ' || lower(f.on_delete) || ' on update ' || lower(f.on_update)
	FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f
	WHERE t.type = 'table' GROUP BY t.name, f.id`

const postgresSchema = `
SELECT 'column ' || c.table_name || '.' || c.column_name || ' '
	|| CASE c.data_type WHEN 'bigint' THEN 'integer' WHEN 'boolean' THEN 'integer' WHEN 'bytea' THEN 'bytes' WHEN 'double precision' THEN 'real' ELSE c.data_type END
	|| CASE c.is_nullable WHEN 'NO' THEN ' not null' ELSE '' END || CASE WHEN c.column_default IS NULL THEN '' ELSE ' default' END
	FROM information_schema.columns AS c WHERE c.table_schema = current_schema()
UNION ALL
SELECT CASE WHEN i.indisprimary THEN 'primary key ' WHEN u.oid IS NOT NULL THEN 'unique ' ELSE 'index ' || x.relname || CASE WHEN i.indisunique THEN ' unique ' ELSE ' ' END END
	|| t.relname || ' (' || (SELECT string_agg(coalesce(a.attname, '?') || CASE WHEN i.indoption[k.n - 1] & 1 = 1 THEN ' desc' ELSE '' END
		|| CASE WHEN i.indcollation[k.n - 1] IN (0, 'pg_catalog."C"'::regcollation) THEN '' ELSE ' without COLLATE "C"' END, ', ' ORDER BY k.n)
		FROM unnest(i.indkey) WITH ORDINALITY AS k (num, n) LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = k.num AND k.num > 0
		WHERE k.n <= i.indnkeyatts) || ')'
	|| CASE WHEN i.indpred IS NULL THEN '' ELSE ' where' END
	FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid JOIN pg_class AS t ON t.oid = i.indrelid
	LEFT JOIN pg_constraint AS u ON u.conindid = i.indexrelid AND u.contype = 'u'
	WHERE t.relnamespace = current_schema()::regnamespace
UNION ALL
SELECT 'reference ' || conrelid::regclass || ' (' || pg_temp.columns(conrelid, conkey) || ') to ' || confrelid::regclass || ' (' || pg_temp.columns(confrelid, confkey) || ') on delete ' || pg_temp.action(confdeltype) || ' on update ' || pg_temp.action(confupdtype)
	FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`

// postgresFunctions are for postgresSchema; they go with the session.
const postgresFunctions = `
CREATE OR REPLACE FUNCTION pg_temp.columns(t oid, nums smallint[]) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(nums) WITH ORDINALITY AS k (num, n) JOIN pg_attribute AS a ON a.attrelid = t AND a.attnum = k.num $$;
CREATE OR REPLACE FUNCTION pg_temp.action(c "char") RETURNS text LANGUAGE sql AS $$
	SELECT CASE c WHEN 'a' THEN 'no action' WHEN 'r' THEN 'restrict' WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' ELSE 'set default' END $$;`

// postgresOnly are tables that SQLite does without: with it one process counts
// requests and streams in memory.
var postgresOnly = regexp.MustCompile(`\b(request_windows|stream_slots)\b`)

// readSchema reads what is in a database, but for postgresOnly.
func readSchema(t *testing.T, s *Store) schemaLines {
	t.Helper()
	ctx := t.Context()
	conn, err := s.db.Read.DB.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	query := sqliteSchema
	if s.db.Postgres() {
		query = postgresSchema
		if _, err := conn.ExecContext(ctx, postgresFunctions); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var lines schemaLines
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		if !postgresOnly.MatchString(line) {
			lines = append(lines, line)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// TestSchemasAgree checks, at each version, that both databases hold the same,
// and that getting to the last version from there gives what it gives from zero.
func TestSchemasAgree(t *testing.T) {
	t.Parallel()
	lite, err := migrations.Of("sqlite")
	if err != nil {
		t.Fatal(err)
	}
	post, err := migrations.Of("postgres")
	if err != nil {
		t.Fatal(err)
	}
	names := func(steps []migrations.Step) (all []string) {
		for _, m := range steps {
			all = append(all, m.Name)
		}
		return all
	}
	if d := cmp.Diff(names(lite), names(post)); d != "" {
		t.Fatalf("migrations of SQLite (-) and PostgreSQL (+):\n%s", d)
	}
	last := len(lite)
	want := schemaVia(t, openEmpty(t, sqliteDSN(t)), lite, last, last)
	if len(want) < 20 {
		t.Fatalf("the schema has %d lines, want more:\n%q", len(want), want)
	}
	for v := 1; v <= last; v++ {
		t.Run(fmt.Sprint("version ", v), func(t *testing.T) {
			t.Parallel()
			a, b := openEmpty(t, sqliteDSN(t)), openEmpty(t, pgtest.DSN(t))
			if d := cmp.Diff(schemaVia(t, a, lite, v, v), schemaVia(t, b, post, v, v)); d != "" {
				t.Errorf("SQLite (-) and PostgreSQL (+):\n%s", d)
			}
			if d := cmp.Diff(want, schemaVia(t, a, lite, v, last)); d != "" {
				t.Errorf("SQLite from version %d:\n%s", v, d)
			}
			if d := cmp.Diff(want, schemaVia(t, b, post, v, last)); d != "" {
				t.Errorf("PostgreSQL from version %d:\n%s", v, d)
			}
		})
	}
}

// schemaVia migrates s to a version, then to another, and reads its schema.
func schemaVia(t *testing.T, s *Store, steps []migrations.Step, via, to int) schemaLines {
	t.Helper()
	for _, v := range []int{via, to} {
		got, err := s.Version(t.Context())
		if err == nil && got < v {
			err = s.db.MigrateTo(t.Context(), steps[:v])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return readSchema(t, s)
}

func sqliteDSN(t *testing.T) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "vaak.db")
}

// openEmpty opens a database without migrating it.
func openEmpty(t *testing.T, dsn string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
