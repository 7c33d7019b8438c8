package catalogue

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vaak/catalogue"
	"vaak/store"
	"vaak/workshop/bench/server"
)

// shelf is a catalogue of some size with the servers that offer it.
type shelf struct {
	records     int
	vaak, naive *server.Server
	ready       time.Duration // after which the server was ready
}

// startShelf writes so many records and starts both servers.
func startShelf(ctx context.Context, o server.Settings, dir string, m recordMaker, records int) (_ *shelf, err error) {
	s := &shelf{records: records}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if dir, err = os.MkdirTemp(dir, "shelf-"); err != nil {
		return nil, err
	}
	state := filepath.Join(dir, "state")
	lines, err := fillShelf(ctx, state, m, records)
	if err != nil {
		return nil, fmt.Errorf("write %d records: %w", records, err)
	}
	if s.naive, err = startNaiveList(ctx, dir, lines); err != nil {
		return nil, err
	}
	program, err := filepath.Abs(filepath.Join(o.Bin, "vaak"))
	if err != nil {
		return nil, err
	}
	s.vaak = &server.Server{Name: "catalogue"}
	began := time.Now()
	err = s.vaak.Start(exec.CommandContext(ctx, program, "serve", "--services", "catalogue", "--public-rate", "0", "--pprof",
		"--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir", state), dir)
	s.ready = time.Since(began)
	return s, err
}

func (s *shelf) stop() {
	s.vaak.Stop()
	s.naive.Stop()
}

// recordWriters is how many write records at once. SQLite has one writer at a time,
// the others encode meanwhile.
const recordWriters = 4

// inMemory is a file system without a disk, if the machine has one.
const inMemory = "/dev/shm"

// fillShelf writes records to a database in dir and returns their lines, in the
// order of the list. They are written where syncing costs nothing, then moved: each
// is a transaction, and nobody waits for the disk 100,000 times.
func fillShelf(ctx context.Context, dir string, m recordMaker, records int) ([]catalogue.Brief, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	quick, err := os.MkdirTemp(inMemory, "vaak-bench-")
	if err != nil {
		return writeRecords(ctx, dir, m, records)
	}
	defer os.RemoveAll(quick)
	lines, err := writeRecords(ctx, quick, m, records)
	if err != nil {
		return nil, err
	}
	return lines, copyFile(filepath.Join(dir, databaseFile), filepath.Join(quick, databaseFile))
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // read only
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// databaseFile is the name of the database in a data directory.
const databaseFile = "vaak.db"

// writingSpeed returns how many records a second are written to the disk of dir.
func writingSpeed(ctx context.Context, dir string, m recordMaker, records int) (float64, error) {
	own, err := os.MkdirTemp(dir, "written-")
	if err != nil {
		return 0, err
	}
	began := time.Now()
	_, err = writeRecords(ctx, own, m, records)
	return float64(records) / time.Since(began).Seconds(), err
}

// Write writes the first so many records of the shelves to a data directory.
func Write(ctx context.Context, dir string, records int) error {
	_, err := writeRecords(ctx, dir, newRecordMaker(), records)
	return err
}

// Pages returns n paths of pages of the first so many records: searches for two words of a title,
// and lists in turns by language and channels and by hours.
func Pages(records, n int) (searches, lists []string) {
	r, next := rand.New(rand.NewPCG(1, 13)), newRecordMaker().listing(records)
	for len(searches) < n || len(lists) < n {
		if path := next(r).path; strings.Contains(path, "q=") {
			searches = append(searches, path)
		} else {
			lists = append(lists, path)
		}
	}
	return searches[:n], lists[:n]
}

// writeRecords writes records as the program does and returns their lines, in the
// order of the list.
func writeRecords(ctx context.Context, dir string, m recordMaker, records int) (_ []catalogue.Brief, err error) {
	db, err := store.Open(ctx, store.Config{DSN: "sqlite:" + filepath.Join(dir, databaseFile)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Migrate(ctx); err != nil {
		return nil, err
	}
	lines := make([]catalogue.Brief, records)
	var writers sync.WaitGroup
	ctx, stop := context.WithCancelCause(ctx) // the first error ends all
	defer stop(nil)
	for w := range recordWriters {
		writers.Go(func() {
			for n := w; n < records; n += recordWriters {
				s := m.make(n)
				lines[n] = s.Dataset.Brief()
				if _, err := db.Catalogue().PutDataset(ctx, s); err != nil {
					stop(err)
					return
				}
			}
		})
	}
	writers.Wait()
	inOrder(lines)
	return lines, context.Cause(ctx)
}

// naiveListSource is what is built.
//
//go:embed naivelist/main.go
var naiveListSource []byte

// startNaiveList builds the naive server of lists in dir and starts it.
func startNaiveList(ctx context.Context, dir string, lines []catalogue.Brief) (*server.Server, error) {
	text, err := json.Marshal(lines)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "lines.json")
	if err := os.WriteFile(data, text, 0o600); err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "naivelist")
	if err := server.BuildAlone(ctx, dir, naiveListSource, program); err != nil {
		return nil, err
	}
	s := &server.Server{Name: "naivelist"}
	return s, s.Start(exec.CommandContext(ctx, program, data), dir)
}
