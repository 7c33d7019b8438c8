package transcript_test

import (
	"fmt"
	"os"
	"strings"

	"vaak/catalogue/transcript"
)

// Words of one speaker that are close together form a segment.
func ExampleRead() {
	ctm := "call A 0.00 0.30 good\ncall A 0.32 0.40 morning\ncall A 2.00 0.50 hello\n"
	file, problems := transcript.Read(strings.NewReader(ctm), transcript.CTM, transcript.Limits{})
	for _, p := range problems {
		fmt.Println(p.Line, p.Message)
	}
	for _, s := range file.Recordings["call"] {
		fmt.Printf("%.2f to %.2f on channel %d: %s\n", s.Start, s.End, s.Channel, s.Text)
	}
	// Output:
	// 0.00 to 0.72 on channel 1: good morning
	// 2.00 to 2.50 on channel 1: hello
}

// A file with a fault has no segments, but every fault with its line.
func ExampleRead_problems() {
	srt := "1\n00:00:02,000 --> 00:00:01,000\nbackwards\n\n2\n00:00:03 --> 00:00:04,000\nno milliseconds\n"
	_, problems := transcript.Read(strings.NewReader(srt), transcript.SRT, transcript.Limits{})
	for _, p := range problems {
		fmt.Printf("line %d: %s\n", p.Line, p.Message)
	}
	// Output:
	// line 2: the end 1 is before the start 2
	// line 6: "00:00:03" is no time such as 00:01:02,345
}

// A text that a spreadsheet would read as a formula gets an apostrophe in CSV, which Read
// removes.
func ExampleWrite() {
	segments := []transcript.Segment{{Start: 0, End: 1.5, Speaker: "Asha", Text: "=1+1"}}
	if err := transcript.Write(os.Stdout, segments, transcript.CSV); err != nil {
		fmt.Println(err)
	}
	// Output:
	// start_s,end_s,channel,speaker,role,text
	// 0,1.5,,"Asha",,"'=1+1"
}
