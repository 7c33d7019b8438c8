package catalogue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"vaak/workshop/bench/client"
	"vaak/workshop/bench/report"
	"vaak/workshop/bench/server"
)

// lookupClients is how many clients ask the catalogue at once, each on a
// connection of its own, one request after the other.
const lookupClients = 4

// lookup makes the request for one of many answers.
type lookup func(r *rand.Rand) request

// request is what is asked for: a path with its query, or what is posted to it.
type request struct {
	path   string
	body   []byte // posted; nil gets
	header string // further lines, each with its end
}

// get asks for a path.
func get(path string) request { return request{path: path} }

// bytes are the request as it is sent.
func (r request) bytes(host string) []byte {
	if r.body == nil {
		return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", r.path, host, r.header)
	}
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\n\r\n%s", r.path, host, r.header, len(r.body), r.body)
}

// listing asks for a page: in turns by two words of a title, by language and
// channels, and by hours.
func (m recordMaker) listing(records int) lookup {
	kind := 0
	return func(r *rand.Rand) request {
		q := url.Values{"limit": {"20"}}
		kind++
		switch kind % 3 {
		case 0:
			words := strings.Fields(strings.ReplaceAll(m.make(r.IntN(records)).Dataset.Title, ",", ""))
			at := r.Perm(len(words))
			q.Set("q", words[at[0]]+" "+words[at[1]])
		case 1:
			q.Set("language", m.language(r).BCP47)
			q.Set("channels", pick(r, []string{"dual", "mono"}))
		case 2:
			q.Set("min_hours", fmt.Sprint(math.Round(drawHours(r))))
		}
		return get("/api/catalogue/datasets?" + q.Encode())
	}
}

// reading asks for the record of any dataset.
func (m recordMaker) reading(records int) lookup {
	return func(r *rand.Rand) request {
		return get("/api/catalogue/datasets/" + m.make(r.IntN(records)).Dataset.Slug)
	}
}

// keptDocuments is how many datasets there are whose Croissant documents are asked for.
const keptDocuments = 500

// documents asks for the Croissant document of one of a few datasets.
func (m recordMaker) documents(records int, header string) lookup {
	return func(r *rand.Rand) request {
		q := get("/catalogue/datasets/" + m.make(r.IntN(min(records, keptDocuments))).Dataset.Slug + "/croissant.json")
		q.header = header
		return q
	}
}

// bare asks for so many bytes.
func bare(length int64) lookup {
	return func(*rand.Rand) request { return get(fmt.Sprint("/static?bytes=", length)) }
}

// looked is what requests of one kind took.
type looked struct {
	took  report.Rounds
	rates []float64       // requests a second, round by round
	used  []time.Duration // processor time of the server a request, round by round
	bytes int64           // of all answers
	empty bool            // the answers are to have no body
	asked map[string]bool // all requests so far
	known int             // how many requests had been sent before
}

// mean is how long an answer is.
func (l *looked) mean() int64 { return l.bytes / max(int64(l.took.Count()), 1) }

// again is the share of requests that had been sent before.
func (l *looked) again() float64 { return float64(l.known) / float64(max(l.took.Count(), 1)) }

// round has lookupClients ask n times together. Rounds of one number ask the same.
func (l *looked) round(s *server.Server, next lookup, n, number int) error {
	return l.roundOf(lookupClients, s, next, n, number)
}

func (l *looked) roundOf(many int, s *server.Server, next lookup, n, number int) error {
	r := rand.New(rand.NewPCG(uint64(number), 11))
	requests := make([][]byte, n)
	if l.asked == nil {
		l.asked = map[string]bool{}
	}
	for i := range requests {
		requests[i] = next(r).bytes(s.Addr)
		if l.asked[string(requests[i])] {
			l.known++
		}
		l.asked[string(requests[i])] = true
	}
	clients := make([]*client.Client, many)
	for i := range clients {
		c, err := client.Dial(s)
		if err != nil {
			return err
		}
		defer c.Close()
		clients[i] = c
	}
	before, err := server.ReadStat(s.Pid())
	if err != nil {
		return err
	}
	began := time.Now()
	took, bytes, err := askAll(clients, requests)
	wall := time.Since(began)
	if err == nil && (bytes == 0) != l.empty {
		err = fmt.Errorf("%s: the answers have %d bytes", firstLine(requests[0]), bytes)
	}
	if err != nil {
		return err
	}
	after, err := server.ReadStat(s.Pid())
	l.took = append(l.took, took)
	l.rates = append(l.rates, float64(n)/wall.Seconds())
	l.used = append(l.used, (after.Own-before.Own)/time.Duration(n))
	l.bytes += bytes
	return err
}

// askAll shares requests out among clients. It returns how long each took and how
// many bytes the answers have.
func askAll(clients []*client.Client, requests [][]byte) ([]time.Duration, int64, error) {
	var g client.Group
	took, bytes := make([][]time.Duration, len(clients)), make([]int64, len(clients))
	for i, c := range clients {
		g.Go(func() error {
			for at := i; at < len(requests); at += len(clients) {
				began := time.Now()
				n, err := c.Whole(requests[at])
				if err != nil {
					return fmt.Errorf("%s: %w", firstLine(requests[at]), err)
				}
				took[i] = append(took[i], time.Since(began))
				bytes[i] += n
			}
			return nil
		})
	}
	err := g.Wait()
	total := int64(0)
	for _, n := range bytes {
		total += n
	}
	return slices.Concat(took...), total, err
}

func firstLine(request []byte) string {
	line, _, _ := strings.Cut(string(request), "\r\n")
	return line
}
