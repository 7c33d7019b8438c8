package normalize

import "strings"

// files are the endings by which the name of a file is told.
var files = setOf("txt pdf doc docx xls xlsx ppt pptx csv tsv json xml yaml yml html css js jsx tsx py rb cpp " +
	"java php sql log zip tar gz exe dll jpg jpeg png gif svg bmp wav ogg flac avi mkv mov apk iso toml ini cfg conf")

// readPath reads the path of a file: /etc/passwd.
func readPath(c *cursor, i int) outcome {
	if !c.is(i, '/') || i < c.addressless || c.kind(i-1) != space && c.kind(i-1) != 0 || c.kind(i+1) != word {
		return outcome{}
	}
	end := c.chunkEnd(i)
	none := outcome{note: note{kind: noteAddressless, at: end}} // for the recognizers after this one
	slashes := 0
	for j := i; j < end; j++ {
		c.steps++
		if c.is(j, '/') {
			slashes++
		} else if c.kind(j) == sign && !strings.ContainsRune("-._~", c.rune(j)) {
			return none
		}
	}
	if slashes < 2 {
		return none
	}
	w, ok := c.sayAddress(i, end)
	if !ok {
		return none
	}
	return said(w, end-i)
}
