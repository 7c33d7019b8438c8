package onnx_test

import (
	"slices"
	"testing"

	"vaak/engine/onnx/collection"
	"vaak/engine/onnx/shaped"
	"vaak/engine/onnx/tiny"
	"vaak/engine/onnx/worker"
)

// TestChunksAreTheWhole compares sound that is made chunk by chunk with that of the whole model:
// they differ by one step of 16 bits at most.
func TestChunksAreTheWhole(t *testing.T) {
	t.Parallel()
	model, config := tiny.Piper(tiny.PiperOptions{Speakers: 4})
	testChunks(t, "tiny", model, config, 4, 300)
}

func TestLengthyChunksOfTrueShapes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("computes seconds of speech with models of the true size")
	}
	for q, ids := range map[shaped.Quality]int{shaped.Medium: 40, shaped.High: 6} {
		model, config := shaped.Piper(7, q)
		testChunks(t, string(q), model, config, 1, ids)
	}
}

func testChunks(t *testing.T, name string, model, config []byte, speakers, n int) {
	t.Helper()
	dir := write(t, map[string][]byte{"en_US-x-medium.onnx": model, "en_US-x-medium.onnx.json": config})
	d, err := collection.In(t.TempDir()).Draft([]string{dir}, collection.Choices{})
	if err != nil {
		t.Fatal(err)
	}
	p := process(t, worker.Settings{})
	ids := []int64{1}
	for i := range n {
		ids = append(ids, 0, int64(14+i*7%100))
	}
	ids = append(ids, 0, 2)
	for speaker := range speakers {
		j := jobOf(t, &d.Model, speaker, ids)
		_, chunks := take(t, p, j)
		// What was sent before a worker was lost may end anywhere.
		for _, skip := range []int{1, 256*24 - 7, 256 * 30, len(chunks) / 2} {
			j.Skip = skip
			if _, rest := take(t, p, j); !slices.Equal(rest, chunks[skip:]) {
				t.Errorf("%s, speaker %d: from sample %d on the sound is another one", name, speaker, skip)
			}
		}
		j.Skip, j.Whole = 0, true
		_, whole := take(t, p, j)
		if len(chunks) != len(whole) {
			t.Fatalf("%s, speaker %d: %d samples in chunks, %d as a whole", name, speaker, len(chunks), len(whole))
		}
		differ, most := 0, 0
		for i, v := range whole {
			x := max(int(v)-int(chunks[i]), int(chunks[i])-int(v))
			if x > 0 {
				differ++
			}
			most = max(most, x)
		}
		if t.Logf("%s, speaker %d: %d of %d samples differ, by %d at most", name, speaker, differ, len(whole), most); most > 1 {
			t.Errorf("%s: chunks differ from the whole by %d", name, most)
		}
	}
}
