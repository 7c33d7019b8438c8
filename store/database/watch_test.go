package database

import "testing"

// TestWatchTellsOnce checks that a change which was heard with its id is not
// reported again when the versions are looked at.
func TestWatchTellsOnce(t *testing.T) {
	t.Parallel()
	var seen []string
	w := &watcher{
		seen:  func(_ Topic, id string) { seen = append(seen, id) },
		last:  map[Topic]int64{"key": 4},
		heard: map[Topic]map[int64]bool{},
	}
	for _, step := range []struct {
		heard []news
		look  int64
		want  int // reports, so far
	}{
		{[]news{{"key", 5, []string{"a", "b"}}}, 5, 2},
		{nil, 5, 2},
		{[]news{{"key", 7, []string{"c"}}}, 7, 4}, // 6 was missed
		{nil, 9, 5},
		{nil, 2, 6}, // another database
		{nil, 3, 7},
	} {
		w.tell(step.heard)
		w.look(map[Topic]int64{"key": step.look})
		if len(seen) != step.want {
			t.Errorf("after %+v: seen %v, want %d", step, seen, step.want)
		}
	}
}

func TestParseNews(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "key", "key 5", "key five a"} {
		if n, ok := parseNews(bad); ok {
			t.Errorf("parseNews(%q) = %v, want none", bad, n)
		}
	}
	if n, ok := parseNews("key 5 a b"); !ok || n.topic != "key" || n.version != 5 || n.ids[0] != "a b" {
		t.Errorf("parseNews = %v, %v, want key 5 of a b", n, ok)
	}
}
