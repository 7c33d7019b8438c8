package catalogue

import (
	"strings"
	"testing"

	"vaak/croissant/check"
)

func TestInScript(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(" ", check.MaxDocument)
	for text, ok := range map[string]bool{
		`{"name":"\u003c/script\u003e"}`: true, `{}`: true, `{"name":"-->"}`: true, long: true,
		`{"name":"</script>"}`: false, `{"name":"<!--"}`: false, `<`: false, long + " ": false,
	} {
		got, err := inScript([]byte(text))
		if (err == nil) != ok || ok && string(got) != text {
			t.Errorf("inScript(%.40q of %d bytes) = %.40q, %v; want ok %v", text, len(text), got, err, ok)
		}
	}
}
