package form

import (
	"testing"

	"vaak/text"
)

func TestMandarin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"银行在行走", "银航在行走"},
		{"重庆很重", "崇庆很重"},
		{"音乐很快乐", "音跃很快乐"},
		{"长大，长度", "掌大，长度"},
		{"还是还钱", "还是环钱"},
		{"觉得，睡觉", "觉得，睡叫"},
		{"首都都是", "首督都是"},
		{"銀行", "銀航"},
		{"佛教", "fo2教"},
		{"\ue000 ", z + " "},
		{"你好", "你好"},
	} {
		got, _ := Of("zh", tt.text)
		if got != tt.want {
			t.Errorf("Of(zh, %q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestMandarinMap(t *testing.T) {
	t.Parallel()
	const written = "信佛教的人"
	got, m := Of("zh", written)
	if want := "信fo2教的人"; got != want {
		t.Fatalf("Of(zh, %q) = %q, want %q", written, got, want)
	}
	if back := m.Back(text.Span{Start: 3, End: 6}).In(written); back != "佛" {
		t.Errorf("fo2 came from %q, want 佛", back)
	}
}

// Every row of the table has to be one that can be reached. Some read as they are
// written, so that a shorter word in them is not taken for itself.
func TestMandarinTable(t *testing.T) {
	t.Parallel()
	table := mandarinReadings()
	for first, words := range table.words {
		for i, w := range words {
			if len(w.written) != len(w.read) || w.written[0] != first {
				t.Errorf("%s is read as %+q", string(w.written), string(w.read))
			}
			for _, r := range w.written {
				if table.simplified(r) != r {
					t.Errorf("%s has %c, which is looked up as %c", string(w.written), r, table.simplified(r))
				}
			}
			if i > 0 && len(words[i-1].written) < len(w.written) {
				t.Errorf("%s stands behind a shorter word", string(w.written))
			}
		}
	}
	if len(table.words) < 1000 || len(table.single) < 200 || len(table.fold) < 500 {
		t.Errorf("the table has %d, %d and %d rows", len(table.single), len(table.words), len(table.fold))
	}
}
