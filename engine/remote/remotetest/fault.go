package remotetest

import "time"

// Trouble is a name of a fault.
type Trouble string

// The faults. Those in the middle happen after [Fault.After] of the audio.
const (
	None       Trouble = ""
	Slow       Trouble = "slow"        // each chunk takes Fault.Delay longer
	Hang       Trouble = "hang"        // no answer at all
	HangMiddle Trouble = "hang_middle" // in the middle nothing comes any more
	Error      Trouble = "error"       // status 500; gRPC INTERNAL
	ErrorEvent Trouble = "error_event" // in the middle an event tells of an error; where there are no events, the connection is reset
	Empty      Trouble = "empty"       // a whole answer without sound
	HalfSample Trouble = "half_sample" // a whole answer with a byte too many
	WrongRate  Trouble = "wrong_rate"  // the answer has, and says that it has, another rate: 16000 Hz, or 24000 where 16000 is right
	Busy       Trouble = "busy"        // status 429; gRPC RESOURCE_EXHAUSTED
	Overload   Trouble = "overload"    // status 503; gRPC UNAVAILABLE
	Reset      Trouble = "reset"       // in the middle the connection is reset
	Silence    Trouble = "silence"     // in the middle silence begins that does not end
	Mute       Trouble = "mute"        // silence without end from the start
	Short      Trouble = "short"       // in the middle the answer ends cleanly; events miss their "done"
	Garbage    Trouble = "garbage"     // the type of a good answer, and bytes by chance
	Page       Trouble = "page"        // status 200 and a page of HTML
	JSON       Trouble = "json"        // status 200 and an error in JSON
	Denied     Trouble = "denied"      // status 401
	Refused    Trouble = "refused"     // status 400; the text is in the message
	Redirect   Trouble = "redirect"    // status 307 to Fault.To
	Impostor   Trouble = "impostor"    // TLS: connections made from now on meet the certificate of another; the health check too
	Sick       Trouble = "sick"        // only the health check fails, with 503
	Long       Trouble = "long"        // the header or the line is longer than any limit
)

// Fault is what is wrong with a server.
type Fault struct {
	Trouble Trouble `json:"trouble"`
	// Count is how many requests meet it; 0 is all, until another fault is given.
	Count int `json:"count,omitempty"`
	// After is the share of the words that come before what happens in the middle; 0 is half.
	// At least one word does.
	After float64 `json:"after,omitempty"`
	// Delay is that of Slow for each chunk; 0 is 200 ms.
	Delay time.Duration `json:"delay,omitempty"`
	// RetryAfter is the header of Busy and Overload; "" sends none.
	RetryAfter string `json:"retry_after,omitempty"`
	// To is where Redirect points.
	To string `json:"to,omitempty"`
}
