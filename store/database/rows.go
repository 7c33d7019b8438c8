package database

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"vaak/internal/fault"
)

// ScanAll calls scan for every row and closes rows.
func ScanAll(rows *sql.Rows, scan func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// All returns what a select from the table of R finds, each row turned into a value of the
// domain.
func All[R, T any](ctx context.Context, q *bun.SelectQuery, value func(R) (T, error)) ([]T, error) {
	var rows []R
	if err := q.Model(&rows).Scan(ctx); err != nil {
		return nil, err
	}
	var all []T
	for _, r := range rows {
		v, err := value(r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// First returns the first that a select finds; false when it finds none.
func First[R, T any](ctx context.Context, q *bun.SelectQuery, value func(R) (T, error)) (v T, ok bool, err error) {
	all, err := All(ctx, q.Limit(1), value)
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// IsID reports whether a text that came from outside can be the id of something. Any
// other text finds nothing, and must not reach the database, which may refuse it.
func IsID(id string) bool {
	return id != "" && len(id) <= 1000 && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}

// CheckTexts refuses texts that cannot be stored. Its error does not repeat them.
func CheckTexts(texts ...string) error {
	for _, t := range texts {
		if strings.ContainsRune(t, 0) || !utf8.ValidString(t) {
			return fault.New(fault.Invalid, fault.CodeInvalidParameter, "", "a text holds U+0000 or is not UTF-8, and cannot be kept")
		}
	}
	return nil
}

// EncodeJSON returns JSON of plain data, which can always be written.
func EncodeJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only of types that are no plain data
	}
	return string(b)
}

// DecodeJSON reads JSON that the store wrote. Its error does not quote the text, which
// may be what a person typed. What names it in the error.
func DecodeJSON(text string, into any, what string) error {
	if json.Unmarshal([]byte(text), into) != nil {
		return fmt.Errorf("%s, of %d bytes, is no JSON as it was written", what, len(text))
	}
	return nil
}
