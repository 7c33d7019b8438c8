package smtp

import (
	"errors"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"vaak/enquiry"
)

// attempts are mails of which one field tries to be more than it is. Those that are not
// refused must arrive as inert text.
var attempts = []struct {
	name    string
	change  func(*enquiry.Mail)
	refused string // the stage, "" is inert
}{
	{"line end in From", func(m *enquiry.Mail) { m.From = "a@b.example\r\nBcc: evil@x.example" }, "From"},
	{"line feed in From", func(m *enquiry.Mail) { m.From = "a@b.example\nBcc: evil@x.example" }, "From"},
	{"line end in To", func(m *enquiry.Mail) { m.To = "a@b.example\r\nRCPT TO:<evil@x.example>" }, "To"},
	{"line end in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a@b.example\r\nBcc: evil@x.example" }, "Reply-To"},
	{"folded ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a@b.example\r\n\tx@y.example" }, "Reply-To"},
	{"carriage return in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a@b.example\rBcc: evil@x.example" }, "Reply-To"},
	{"line end in MessageID", func(m *enquiry.Mail) { m.MessageID = "a@b\r\nBcc: evil@x.example" }, "Message-ID"},
	{"bracket in MessageID", func(m *enquiry.Mail) { m.MessageID = "a@b> <c@d" }, "Message-ID"},
	{"encoded word in MessageID", func(m *enquiry.Mail) { m.MessageID = "=?utf-8?q?=0D=0ABcc:_x?=@b c" }, "Message-ID"},
	{"very long MessageID", func(m *enquiry.Mail) { m.MessageID = strings.Repeat("a", 2000) + "@b" }, "Message-ID"},
	{"two in To", func(m *enquiry.Mail) { m.To = "a@b.example, evil@x.example" }, "To"},
	{"two in To by a semicolon", func(m *enquiry.Mail) { m.To = "a@b.example; evil@x.example" }, "To"},
	{"two in From", func(m *enquiry.Mail) { m.From = "a@b.example,evil@x.example" }, "From"},
	{"two in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a@b.example, evil@x.example" }, "Reply-To"},
	{"name in To", func(m *enquiry.Mail) { m.To = `"x" <evil@x.example>` }, "To"},
	{"address as a name", func(m *enquiry.Mail) { m.ReplyTo = `"boss@b.example" <evil@x.example>` }, "Reply-To"},
	{"encoded name", func(m *enquiry.Mail) { m.ReplyTo = "=?utf-8?q?boss=40b.example?= <evil@x.example>" }, "Reply-To"},
	{"bare brackets", func(m *enquiry.Mail) { m.To = "<evil@x.example>" }, "To"},
	{"group", func(m *enquiry.Mail) { m.To = "all: a@b.example, evil@x.example;" }, "To"},
	{"comment", func(m *enquiry.Mail) { m.ReplyTo = "a@b.example (boss)" }, "Reply-To"},
	{"quoted local part", func(m *enquiry.Mail) { m.To = `"a@b.example> RCPT TO:<evil"@x.example` }, "To"},
	{"quoted space", func(m *enquiry.Mail) { m.To = `"a b"@x.example` }, "To"},
	{"route", func(m *enquiry.Mail) { m.To = "<@x.example:a@b.example>" }, "To"},
	{"parameter of SMTP", func(m *enquiry.Mail) { m.To = "a@b.example NOTIFY=SUCCESS" }, "To"},
	{"encoded word as an address", func(m *enquiry.Mail) { m.ReplyTo = "=?utf-8?q?a=0D=0AB?=@b.example" }, ""},
	{"U+2028 in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a\u2028b@b.example" }, "Reply-To"},
	{"U+0085 in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a\u0085b@b.example" }, "Reply-To"},
	{"right to left in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "a\u202Eb@b.example" }, "Reply-To"},
	{"no-break space in To", func(m *enquiry.Mail) { m.To = "a\u00A0b@b.example" }, "To"},
	{"NUL in To", func(m *enquiry.Mail) { m.To = "a\x00@b.example" }, "To"},
	{"letters of another script in ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = "bоss@b.example" }, "Reply-To"},
	{"not UTF-8 in To", func(m *enquiry.Mail) { m.To = "a\xff@b.example" }, "To"},
	{"very long ReplyTo", func(m *enquiry.Mail) { m.ReplyTo = strings.Repeat("a", 5000) + "@b.example" }, "Reply-To"},
	{"no address in To", func(m *enquiry.Mail) { m.To = "" }, "To"},
	{"no address in From", func(m *enquiry.Mail) { m.From = "" }, "From"},
	{"no domain", func(m *enquiry.Mail) { m.ReplyTo = "postmaster" }, "Reply-To"},
	{"no date", func(m *enquiry.Mail) { m.Date = enquiry.Mail{}.Date }, "Date"},
	{"line end in Subject", func(m *enquiry.Mail) { m.Subject = "hi\r\nBcc: evil@x.example\r\n\r\n<html>" }, ""},
	{"U+2028 in Subject", func(m *enquiry.Mail) { m.Subject = "hi\u2028Bcc: evil@x.example" }, ""},
	{"U+0085 in Subject", func(m *enquiry.Mail) { m.Subject = "hi\u0085Bcc: evil@x.example" }, ""},
	{"encoded word in Subject", func(m *enquiry.Mail) { m.Subject = "=?utf-8?q?hi=0D=0ABcc:_evil=40x.example?=" }, ""},
	{"very long Subject", func(m *enquiry.Mail) { m.Subject = strings.Repeat("x", 20_000) }, ""},
	{"spaces in Subject", func(m *enquiry.Mail) { m.Subject = strings.Repeat(" ", 300) + "Bcc: evil@x.example" }, ""},
	{"header in Text", func(m *enquiry.Mail) { m.Text = "Bcc: evil@x.example\nContent-Type: text/html\n\n<script>\n" }, ""},
	{"end of DATA in Text", func(m *enquiry.Mail) { m.Text = "hi\n.\nMAIL FROM:<evil@x.example>\n" }, ""},
	{"end of DATA with carriage returns", func(m *enquiry.Mail) { m.Text = "hi\r\n.\r\nRCPT TO:<evil@x.example>\r\n" }, ""},
	{"smuggled end of DATA", func(m *enquiry.Mail) { m.Text = "hi\r.\r\nDATA\n\n.\r\n\n.\n" }, ""},
	{"boundary in Text", func(m *enquiry.Mail) { m.Text = "--x\nContent-Type: text/html\n\n<b>\n--x--\n" }, ""},
}

// meant is what a subject is once it is one line.
func meant(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

func TestInjection(t *testing.T) {
	t.Parallel()
	for _, tt := range attempts {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &office{}
			m := sample()
			tt.change(&m)
			senders := map[string]enquiry.Sender{"relay": plain(t, o.open(t, nil)), "folder": folder(t, t.TempDir())}
			for name, s := range senders {
				err := s.Send(t.Context(), m)
				var r *enquiry.Refusal
				if errors.As(err, &r); (r != nil) != (tt.refused != "") || r != nil && *r != (enquiry.Refusal{Stage: tt.refused}) || r == nil && err != nil {
					t.Errorf("%s: Send = %v, want refused at %q", name, err, tt.refused)
				}
				if err != nil && strings.Contains(err.Error(), "evil") {
					t.Errorf("%s: the error holds what was sent: %v", name, err)
				}
			}
			if tt.refused != "" {
				if n := len(o.taken()); n != 0 {
					t.Errorf("%d letters of a mail that was refused", n)
				}
				return
			}
			m.Subject = meant(m.Subject)
			checkLetter(t, m, one(t, o))
		})
	}
}

// TestLaw checks that whatever a mail says, that arrives and nothing else.
func TestLaw(t *testing.T) {
	t.Parallel()
	o := &office{}
	r := plain(t, o.open(t, nil))
	text := rapid.StringOf(rapid.OneOf(
		rapid.Rune(), rapid.RuneFrom([]rune(".=? \t\r\n\x01\x7f\u0085\u2028नか")), rapid.RuneFrom([]rune(".\n")),
	).Filter(func(r rune) bool { return r != 0 }))
	rapid.Check(t, func(t *rapid.T) {
		m := sample()
		m.Kind = rapid.SampledFrom([]enquiry.MailKind{enquiry.ToOperator, enquiry.ToPerson, enquiry.WithSample}).Draw(t, "kind")
		m.Subject, m.Text = text.Draw(t, "subject"), text.Draw(t, "text")
		if rapid.Bool().Draw(t, "answered") {
			m.ReplyTo = ""
		}
		before := len(o.taken())
		if err := r.Send(t.Context(), m); err != nil {
			t.Fatalf("Send: %v", err)
		}
		all := o.taken()
		if len(all) != before+1 {
			t.Fatalf("%d letters arrived, want 1", len(all)-before)
		}
		m.Subject = meant(m.Subject)
		checkLetter(t, m, all[before])
	})
}

// FuzzBare checks that what passes as an address is one, alone, in a header and in SMTP.
func FuzzBare(f *testing.F) {
	for _, a := range attempts {
		m := sample()
		a.change(&m)
		f.Add(m.ReplyTo)
		f.Add(m.To)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !bare(s) {
			return
		}
		m := sample()
		m.To = s
		msg, err := compose(m)
		if err != nil {
			return
		}
		to, err := msg.GetRecipients()
		if err != nil || len(to) != 1 || strings.ContainsAny(to[0], "\r\n \t") || !strings.HasPrefix(to[0], "<") || strings.IndexByte(to[0], '>') != len(to[0])-1 {
			t.Errorf("%q goes to %q, %v", s, to, err)
		}
		var b strings.Builder
		if _, err := msg.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		read, err := mail.ReadMessage(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		list, err := read.Header.AddressList("To")
		if err != nil || len(list) != 1 || list[0].Address != s || !slices.Equal(read.Header["To"], to) {
			t.Errorf("%q stands in To as %q: %v, %v", s, read.Header["To"], list, err)
		}
	})
}
