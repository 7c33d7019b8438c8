package electronic

import (
	"strings"

	"vaak/text/normalize/scan"
)

// files are the extensions by which a file name is recognized.
var files = scan.SetOf("txt pdf doc docx xls xlsx ppt pptx csv tsv json xml yaml yml html css js jsx tsx py rb cpp " +
	"java php sql log zip tar gz exe dll jpg jpeg png gif svg bmp wav ogg flac avi mkv mov apk iso toml ini cfg conf " +
	"mp3 mp4 m4a m4v 7z rar bz2 md epub mobi heic webp webm tiff tif psd ods odt odp rtf tsx ipynb kt swift bat ps1 bak tmp dat bin srt vcf ics eml msg key sh")

// Path reads the path of a file: /etc/passwd, ~/notes, \\\\server\\share.
func (er *Recognizer) Path(in *scan.View, i int) scan.Outcome {
	r := in.Rune(i)
	if r != '/' && r != '~' && r != '\\' || i < in.Addressless || in.Kind(i-1) != scan.Space && in.Kind(i-1) != 0 && !in.Is(i-1, '(') {
		return scan.Outcome{}
	}
	switch {
	case r == '/' && in.Kind(i+1) == scan.Word, r == '~' && in.Is(i+1, '/') && in.Kind(i+2) == scan.Word:
	case r == '\\' && in.Is(i+1, '\\') && in.Kind(i+2) == scan.Word:
	default:
		return scan.Outcome{}
	}
	end := chunkEnd(in, i)
	none := scan.Outcome{Note: &scan.Note{Kind: scan.NoteAddressless, At: end}} // spares the tokens of the chunk a second look
	slashes := 0
	for j := i; j < end; j++ {
		in.Step()
		if in.Is(j, '/') || in.Is(j, '\\') {
			slashes++
		} else if in.Kind(j) == scan.Sign && !strings.ContainsRune("-._~", in.Rune(j)) {
			return none
		}
	}
	// A single slash, as in /etc, may as well be an option or a division.
	if slashes < 2 && r != '~' {
		return none
	}
	w, ok := er.sayAddress(in, i, end)
	if !ok {
		return none
	}
	return scan.Said(w, end-i)
}
