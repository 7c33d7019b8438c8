package live

import (
	"context"
	"fmt"
	"strings"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/corpus"
	"vaak/workshop/bench/server"
)

// askChunks is what one would write first: it waits for the words that the eager
// mode waits for, and has a server speak four at a time, each as a request of
// its own on one connection. Text is there when it is due.
func (p *talk) askChunks(ctx context.Context, s *server.Server) error {
	c, err := client.Connect(s, &client.Afar)
	if err != nil {
		return err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, c.Close)()
	p.began = time.Now()
	p.sent = append(p.sent, p.due...)
	p.sent = append(p.sent, p.due[len(p.due)-1])
	words := strings.Fields(strings.Join(p.text.tokens, ""))
	for from := 0; from < len(words) && ctx.Err() == nil; from += chunkWords {
		to := min(from+chunkWords, len(words))
		token := p.text.decider(func(t tally) bool { return t.complete >= to+peekWords })
		if token < 0 {
			token = len(p.text.tokens)
		}
		server.Pause(ctx, time.Until(p.began.Add(p.sent[token])))
		if err := p.ask(c, s, strings.Join(words[from:to], " ")); err != nil {
			return err
		}
	}
	return nil
}

// ask has a piece of the text spoken and listens to it.
func (p *talk) ask(c *client.Client, s *server.Server, text string) error {
	if err := c.Ask(s.Request(corpus.Sample{Lang: corpus.English, Text: text})); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	header := s.Header
	_, err := c.Count(func(n int) {
		skipped := min(n, header)
		if header -= skipped; n == skipped {
			return
		}
		sound := time.Duration(s.Seconds(int64(n-skipped)) * float64(time.Second))
		p.heard = append(p.heard, arrival{time.Since(p.began), sound})
	})
	return err
}
